"""Common words, which are far more often plain words than titles or names.

Lists of our own, in the spelling of keys (`title_index.key`): what people say when they talk about what to
watch, read or play. A title made of such words needs more than its words to be recognised.
"""

_SMALL = """
about above across actually after again against ago ahead all almost alone along already alright also although
always am among and another any anybody anymore anyone anything anytime anyway anywhere apart are around as
aside at away awhile back be became because become been before began behind being below beneath beside besides
best better between beyond both but by came can cannot cant come could couldnt definitely did didnt different
do does doesnt doing done dont down during each either else enough especially etc even ever every everybody
everyone everything everywhere exactly except far few first for forever forward from further gave get gets
getting give given gives go goes going gone gonna got gotcha gotta great had happen happened hardly has hasnt
have havent having he hed hell her here heres hers herself hes hey hi him himself his hmm how however huh i id
if ill im in indeed instead into is isnt it itd itll its itself ive just keep kept knew know known last late
later least less let lets like liked likely little ll lol long lot lots made mainly make makes many may maybe
me mean meant might mine more most mostly much must my myself near nearly need never new next nice no nobody
none nope nor not nothing now of off oh ok okay old on once only onto or other others otherwise ought our ours
ourselves out over own part particular perhaps plus please possible pretty probably quite rather re real
really recent recently right said same saw say says second see seem seemed seems seen several shall she shed
shell shes should shouldnt similar since so some somebody somehow someone something sometime sometimes
somewhere soon sorry still stuff such sure than thank thanks that thats the their theirs them themselves then
there theres these they theyd theyll theyre theyve thing things this those though thought thou through thus
till to today together tomorrow tonight too took totally toward towards true truly try twice under unless
until unto up upon us use used usually various very via wait want wanted wants was wasnt way we wed week
weekend well went were weve what whatever whats when whenever where wherever whether which while who whoever
whole whom whos whose why will with within without wont worse worst worth would wouldnt wow yeah year years
yep yes yesterday yet you youd youll young your youre yours yourself youve hello bye goodbye welcome
"""
_TALK = """
accept accepted access act acted acting action actor actors actress adventure age agree airport alive amazing
american animal animals animated animation anime anybody art ask audience award awards bad based beautiful
beginning believe big biopic bit black blood blue body book books bored boring boss box boy boys break
brilliant bring brother brothers business buddy call called calm camera car care career cartoon case cast
catch caught chance change character characters cheap check child children choice choose christmas cinema city
class classic classics click clip close closer clown clue code cold collection color comedian comedies comedy
comic comics coming common company confused conversation cool country couple course crazy creation creepy
crime cry cult cure current cute dad dance dangerous dark date dating day days dead deal death decided deep
depends detective die dinner director disappointed disney doctor documentary dog dogs door double doubt drama
dream drive dumb earlier early easy edge emotional end ending entertaining epic escape eve evening event evil
exam example excellent excited exciting experience expect eye eyes face fact fall fame families family famous
fan fantastic fantasy fast father favorite favourite feel feeling fiction fight fighting figure film films
final finally find fine fire fit fits focus follow following food forest forget forgot found free friend
friends front full fun funny future game games general genius genre genres getaway ghost girl girls glad glass
gold gone good guess guest guilty guy guys hair half hand happy hard hate head hear heard heart heavy held
help hero heroes hidden high history hit hold holiday holidays home hooked hope horrible horror host hot hour
hours house human humor hunt hunted husband idea identity images imagination important independent infamous
inside inspired intense interest interested interesting international internship interview island job joke
jokes journey joy judge jungle kid kidnapped kids kill killed killer killers killing kind king kingdom knowing
lady land large laugh law lead leave left legend level life light line link list listen live lived lives
loaded local look looked looking looks lose loss lost loud love loved lovely lover loves luck lucky mad magic
main major man marriage married match matter meet memory men mention mentioned message middle million mind
minute minutes mirror miss missed missing mission moment moments mom money monster monsters month months mood
morning mother move moved movie movies moving murder murderer music musical musicals mute mystery name named
nature neighbors news night normal notes number numbers nuts odd office offer older one open opinion option
order original originals oscar others outside oxygen pain pair paper parents party passengers past pay people
perfect perfection performance person personal phone pick picture pictures place play played playing plays
plot point police popcorn popular power prefer prequel present preview previous prime prince problem promise
proof proposal proud purpose question questions quick quiet quite race rain random rating ratings reach read
ready reality reason recommend recommendation red release released remake remember rent rest return revenge
review reviews ride ring road rock role rollercoaster romance romantic room rough rule run running sad safe
sailor saga scare scared scary scene scenes school science score screen search searching season seasons secret
select send sense sequel sequels serial series serious set sex share shocking shoot shopping short shot show
shows shut sick side sight silence silly simple single sister sisters sit situation six sleep slow small smart
smile smooth social society soldier solid son song songs sort sound sounds soundtrack source space special
speed spend spirit sport sports spot spy stage stand star stars start started starting state statement stay
step stone stop store stories story strange stranger street strong stuck student style suggest suggestion
summer super superhero survive suspense sweet switch take takes tale talk talking taste teen tell ten tend
tension terrible test theater theaters theatre theme thriller thrillers ticket tickets tie time times title
together told tone topic touch tough town track trade trailer trailers trapped trip trivia trouble true truth
turn tv twist twisted type types ugly uncle understand unique universe unknown upcoming vacation version vibe
video view villain violence virus visit voice waiting walk wall war watch watched watcher watching water
weather wedding weird whatever white wife wild win winter wish witch witness wolf woman women won wonder
wonderful wood word words work working world worry write writer wrong young zombie zombies accident aliens
battle chaos chocolate hunger clock committed control cop cops countdown cracks downfall enemy fear finding
flight hitman murderers assignment altered aura balance bounty butter careful crawl gathering gossip greed
hush killing neighbor november october september february january march april june july august december monday
tuesday wednesday thursday friday saturday sunday spring autumn fall south north east west america hollywood
paris london york greetings gothic accepted agent airplane amateur angel baby bachelor ball bank bar beach bed
bird birthday blame blind board boat bomb bond bone border born bread bridge bright bug bus cake camp candy
captain card cat cave chain champion charge chef chicken church clean cloud club coast coffee college complete
computer congratulations contact cook corner court cover cross cube curse daddy damage danger darkness
daughter dawn deadline desert devil diamond diary dirt disaster disturbing divorce drag drug drugs dust duty
earth education election empire energy exit extreme fair faith fallen farewell fate fifty flash flower fog
fortune freak freedom gift glory god grace ground growing guard gun guns guts hall heat heaven hidden hide
hint homework honey honeymoon horse hospital hotel ice impossible infinity innocence innocent insane jobs
juice junior justice kings kiss kitchen lake language lawyer leader league letter letters liar library limit
lines listening loose lunch machine mama mask master mercy metal midnight milk miracle model moon morals mud
nerve nightmare noise nurse ocean offside oldies online orange orphan outbreak outrage panic parent passion
path patient peace peppermint pet pig pilot pirates pizza planet player poison pool port precious predictable
pressure prey pride prison private project punch pure puzzle quarantine queen radio raw rebel recall
regression relaxing remote rescue results risk river robot rope rules ruthless sabotage sacrifice safety sand
save scandal seven shadow shame shark shelter shine ship shock shooter signs sin singles sister skin sky slice
smoke snow soft soul spider splash split stalker static steel storm sunny sunrise sunset sunshine surf suspect
swing table tag teacher team tears teenage teeth temptation tender terror thirst thunder ticket tide tiger toy
trace traffic train trap trash travel tree trial troll trust tunnel twins vampires vanish vice victim victory
wanted watching waves wine wings winner wolves worlds wreck young
"""
GIVEN_NAMES = frozenset(
    """ adam alan albert alex alexander alfie alice amanda amy andrea andrew andy angela anna anne annie
    anthony antonia arthur barbara ben benjamin beth betty bill billy bob bobby bonnie brad brandon brian
    bruce bryan carl carlos carol caroline catherine charles charlie charlotte cheryl chloe chris christian
    christine christopher clark claire colin daisy dan daniel danny dave david dean denis denise dennis diana
    diane don donald doris dorothy doug dwayne dylan ed eddie edward elizabeth ella ellen emily emma eric erin
    eva evelyn florence frances frank fred gabriel gary george gerald gina gloria gordon grace greg hanna
    hannah harold harrison harry heather heidi helen henry holly hugh ian isabel jack jackie jacob jake james
    jamie jane janet jason jay jean jeff jennifer jenny jeremy jerry jesse jessica jessie jill jim jimmy joan
    joe john johnny jon jonathan jordan joseph josh joshua joy juan judith judy julia julian julie justin
    karen kate kathy katie keanu keith kelly ken kenneth kevin kim kurt kyle larry laura lauren lee leo leon
    leonardo liam lily linda lisa lola louis louise lucas lucy luke maggie malcolm marc marcus margaret maria
    marie mark martha martin marty mary matt matthew max megan mel melissa mia michael michelle mickey mike
    mimi molly monica morgan nancy natalie nathan neil nick nicolas nicole nina noah nora norman oliver olivia
    oscar pam pamela patricia patrick paul paula pete peter phil philip rachel ralph randy ray rebecca rick
    richard rob robert robin rocky roger roman ron ronald rosa rose ross roy russell ruth ryan sally sam
    samantha samuel sandra sandy sara sarah scarlett scott sean seth shane sharon sheila simon sofia sophia
    sophie stan stanley stella stephanie stephen steve steven stuart sue susan sylvia taylor ted terry theo
    theresa thomas tim timothy tina todd tom tommy tony tracy uma val vera victor victoria vince vincent vinny
    virginia walter wanda warren wayne wendy wes will william wilson woody zoe """.split()
)
"""Given names, which refer to a person unless something says otherwise."""
SMALL = frozenset(_SMALL.split())
"""Function words and words that occur with any subject."""
EVERYDAY = SMALL | frozenset(_TALK.split()) | frozenset(map(str, range(32)))
"""Common words, including small numbers, since keys spell numbers as digits."""
