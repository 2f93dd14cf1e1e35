"""Word lists for rule-based argument analysis: effects, valences, negation, and discourse cues.

Written for this project by hand. Effect verbs follow the idea of Choi & Wiebe (EMNLP 2014): what an event
does to its object, so that reducing something bad is good. Entries are base forms.
"""

from openiir.core.retrieval.stem import stem


def word_set(text: str) -> frozenset[str]:
    """Split a text at white space into a set of words."""
    return frozenset(text.split())


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(text.replace("\n   ", "").split(" | "))


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in text.split())


def _table(groups: dict[float, str]) -> dict[str, float]:
    return {word: value for value, text in groups.items() for word in text.split()}


RAISE = _table(
    {
        0.0: """increase raise result contribute produce create generate spread mean become use trigger drive
        yield incur entail involve expose impose perpetuate face suffer justify growth expand extend maintain
        have contain include present pose reflect induce form pay stimulate accelerate amplify exacerbate
        require introduce adopt implement fund subsidize subsidise subsidy legalize legalise enforce pass
        unleash choose give make keep leave see sustain transmit build open""",
        0.25: """provide offer deliver allow enable help ensure guarantee protect preserve secure support
        foster facilitate restore defend serve empower promote enhance attract respect conserve safeguard
        uphold inform educate equip assist treat encourage incentivize incentivise recommend harness""",
        0.6: "improve strengthen boost enrich advance reward uplift improvement",
        0.1: "develop give bring keep show",
        -0.1: "lead",
        -0.2: "emit release burn cause",
        -0.5: "force coerce compel subject condemn",
    }
)
"""Stance value implied by verbs that bring about or increase a neutral object; base forms."""

CUT = _table(
    {
        0.1: "reduce decrease lower minimize minimise avoid prevent eliminate combat lessen curb",
        0.0: """cut limit stop end remove discourage deter fight counter oppose reduction elimination
        prevention abolish abolition ban prohibit forbid outlaw restrict disband criminalize criminalise
        reject abandon close dissuade exclude replace decline constrain halt cease repeal scrap censor
        regulate deprecate discontinue boycott prosecute withdraw withdrawal phase cap extinguish quit refrain
        abstain""",
        0.4: """solve overcome alleviate mitigate ease relieve resolve cure solution remedy simplify eradicate
        deterrent disincentive disincentivize protection safeguard""",
        -0.2: "against",
        -0.3: "away contrary",
        -0.5: """undermine destroy destruction harm damage threaten violate erode weaken hinder impede block
        deprive deny denial lack lose loss absence diminish infringe jeopardize jeopardise endanger hamper
        obstruct degrade displace contradict sacrifice neglect ignore distort interfere worsen compromise
        stifle disrupt corrupt suppress ruin detract limitation spoil inhibit hurt devalue overlook kill miss
        mask obscure marginalize marginalise disturb devastate poison pollute fragment shortage disregard
        strip polarise polarize radicalise radicalize manipulate mislead deceive exploit infringement
        discriminate isolate""",
    }
)
"""Stance value implied by verbs that reduce or harm a neutral object; base forms."""

REPORTING = word_set("""show argue say suggest find found believe claim demonstrate indicate prove know report
    conclude think thought note warn state mean said hold maintain contend insist estimate observe""")
"""Base forms of reporting verbs (`argue that`), whose `that` introduces the actual proposition."""
HELPING = word_set("help assist aid serve treat")
"""Base forms of verbs that relieve a negative valence of their object."""
SHIELDING = word_set("""protect protects protected protecting protection save saves saved saving defend
    defends safeguard safeguards shield shields spare spares spared free frees freed rescue rescues safe keep
    keeps keeping secure""")
"""Words after which `from` introduces something averted (`protect from`)."""

GOOD = _table(
    {
        0.35: """access opportunity choice quality learning knowledge skill income revenue profit autonomy
        privacy right equality stability diversity education employment dignity democracy democratic welfare
        peace health market evidence life habitat biodiversity ecosystem livelihood family tradition research
        recall precision accuracy relevance reproducibility consensus truth equity standard capability trust
        teach able ability entitled learn identify experience experienced ability jobs equal qualified economy
        stable personal""",
        0.6: """efficient efficiency reliable reliability flexible flexibility renewable sustainable
        sustainability productive productivity accurate transparent transparency robust valid validity
        essential necessary vital cheap cheaper inexpensive affordable innovation innovative accountable
        accountability useful usable viable feasible legitimate ethical humane healthy durable scalable
        consistent reproducible prosperity prosperous responsible competitive crucial indispensable
        appropriate acceptable adequate sufficient discipline disciplined interoperable convenient versatile
        coherent saving savings independent independence predictable dispatchable abundant inclusive objective
        unbiased calibrated representative clean faithful realistic informative interpretable serendipity
        better best superior constitutional lawful deserve fundamental proven merit advantage advantageous
        beneficial benefit progress effective effectively advisable imperative healthier immune needed
        dependable clearer faster quicker easier trustworthy explainable explanation grounded attribution
        diverse novelty coverage agreement agree fresh timely rigorous rigour replicable comparable tractable
        usability satisfaction engaged engagement insight foresight expertise competence skilled literate
        literacy wealth wealthy prosper employ wage surplus investment entrepreneur entrepreneurship
        sovereignty legitimacy lawfulness accountability impartial pluralism tolerance tolerant solidarity
        reconciliation heal healing forgive forgiveness compassion compassionate dignified peaceful ceasefire
        deterrence defence defense cooperation cooperative mutual nutritious longevity recovery vaccine
        hygiene resilient resilience biodiverse fertile unpolluted creative creativity imaginative originality
        authentic meaningful rewarding fulfilling empowering liberating enlightened participatory egalitarian
        meritocratic nonviolent lifesaving economical frugal streamlined seamless intuitive polished mature
        verifiable traceable auditable""",
    }
)
"""Positive valence (0 to 1) of words that VADER lacks or rates as neutral; base forms."""

BAD = _table(
    {
        -0.35: """too consequence drugs cost tax burden emission noise uncertainty pressure debt delay
        dependence flood flooding dependency taxpayer temporary complexity tension difficulty expense
        intermittent intermittency fossil overhead artefact artifact strain resettle resettled relocate
        relocation bureaucrat compulsion wrong barren pushes push insist issue challenge disturbance
        controversy controversial protest complaint lawsuit annoying annoyance""",
        -0.6: """expensive costly pollution pollute disease infection discrimination discriminatory inequality
        poverty bias monopoly vulnerability vulnerable displacement erosion extinction degradation
        overpopulation shortage distortion immoral unethical unconstitutional inefficient inefficiency
        ineffective unreliable unfair unjust illegal unacceptable unnecessary undesirable unsustainable
        unhealthy addiction addictive abuse exploitation oppression coercion coercive injustice corruption
        crime criminal terrorism offence offense terrorist radical misleading invalid noisy brittle opaque
        obsolete outdated useless pointless futile waste wasteful intrusive invasive hazardous hazard toxic
        stereotype stigma segregation unemployment bureaucracy malicious defect flaw drawback disadvantage
        downside shortcoming inadequate insufficient incompatible disruptive destructive detrimental adverse
        adversely negative problematic impractical unrealistic infeasible suicide sin evil obstacle barrier
        overfit leakage contamination hallucination hallucinate drift homogenization polarization polarisation
        radicalization misinformation disinformation clickbait manipulation biased skewed circular loophole
        prejudice recession deficit instability volatile volatility bully bullying distraction distract
        hypocrisy barbaric cruel inhumane archaic worse worst inferior fail failure impossible difficult
        inconsistent unpredictable hostile offensive concern doubt dubious harmful damaging questionable
        overcrowding overcrowded congestion outage backlash scarce undemocratic authoritarian uninformed
        unqualified disaster catastrophic objectionable contaminate risky irresponsible promiscuity infidelity
        fragmentation inflation bankruptcy insolvency stagnation monopolistic cartel speculation speculative
        austerity redundancy layoff underpaid overworked precarious indebted bribery nepotism impunity
        propaganda censorship surveillance repression repressive dictator dictatorship tyranny tyrannical
        despotic autocratic totalitarian sectarian nationalism imperialism imperialistic militarism aggression
        aggressor massacre atrocity genocide casualty bombardment occupation siege disproportionate
        indiscriminate unlawful illegitimate arbitrary vindictive retribution vengeance humiliation humiliate
        degrading dehumanize dehumanizing objectify indoctrination indoctrinate brainwash obesity malnutrition
        famine starvation overdose contagion epidemic pandemic drought deforestation desertification smog
        carcinogen carcinogenic radioactive spill plagiarism dishonest deceptive deceit exaggerate
        exaggeration sensational sensationalism superficial shallow simplistic arrogant elitist paternalistic
        nanny clumsy cumbersome myth hoax mirage overrated overhyped tedious sluggish slow buggy crash latency
        bottleneck overload spam stale redundant incomplete inaccurate imprecise inaccuracy unfounded
        unsupported unproven implausible contradictory incoherent irreproducible unreplicable confounded
        confounder overestimate underestimate inflate inflated overfitting echo bubble homogeneous homogeneity
        narrow narrowing sycophantic overconfident fabricate fabricated disagree disagreement mistrust
        distrust scepticism skepticism resentment alienate alienation apathy consumerism materialism
        materialistic vulgar obscene blasphemous intolerant intolerance bigotry hatred tantamount methane
        violation hiv cancer discriminates discriminating murder""",
    }
)
"""Negative valence (-1 to 0) of words that VADER lacks or rates as neutral; base forms."""
NEUTRAL = word_set("""preventable greatest largest like likely party legal share matter kind play want number
    sure solid united energy energies interest interested huge super top fire demand demands please play
    intense worn well pretty true common sentence sentenced charge charged battle""")
"""Words that VADER rates although they express no stance by themselves."""

NEGATORS = word_set("""not no never nor neither none nobody nothing cannot without can't won't don't doesn't
    didn't isn't aren't wasn't weren't shouldn't wouldn't couldn't hasn't haven't hadn't ain't mustn't needn't
    n't hardly barely scarcely seldom rarely unlikely unable dont doesnt isnt cant wont shouldnt wouldnt""")
"""Negation words, which reverse the words after them."""
LESSENERS = word_set("""less fewer few little low lower lowest reduced minimal least declining falling
    decreased lesser negligible zero insufficient limited lacks lack absence cheaper shortage loss minor""")
"""Modifiers that reverse the word after them (`low cost`) or the subject they describe."""
AMPLIFIERS = word_set("higher high greater rising larger increased bigger considerable enormous")
"""Predicates that keep the sign of their subject's valence (`emissions are higher`)."""
DOUBTS = _phrases("""no evidence | little evidence | no proof | no reason | no guarantee | not true |
    not the case | doubt | myth | doubtful | far from | it is false | misconception | untrue | no longer |
    not convinced | sceptical | skeptical | by no means | not clear | unclear whether | fallacy |
    nothing shows | no indication | hard to believe | unproven | doubts that | doubts whether | not proven |
    never been shown | no data | disagreed with | disagree with | disagree that | disagrees with |
    not necessarily | better spent | better used | better off without""")
"""Phrases of doubt, which reverse the whole proposition after them."""
DEFINING = _phrases("""is used to | are used to | is defined as | are defined as | refers to | refer to |
    known as | is called | are called | is the term | consists of | consist of | is a type of | is a form of |
    stands for | is a method of | is the process | such as the | is located | was built | was founded |
    was opened | was completed | is a measure of | are listed | is given | are given | are shown | is shown |
    the report outlines""")
"""Phrases that signal a definition, location or list rather than an argument."""
CONCEDING = _phrases("""admittedly | granted | of course | although | even if | even though |
    it is true that | to be sure | true, | yes, | certainly | one might think | one could think |
    one might object | some say | some people say | critics | opponents | while it is | one could worry""")
"""Phrases of concession, which grant a point before arguing against it."""
CONTRAST = (
    _phrases("""however | but | on the contrary | nevertheless | nonetheless | on the other hand |
    yet | in contrast | conversely | that said | even so | still | though | whereas | despite | contrary to |
    i disagree | not so | in reality | having said that | all the same""")
    + CONCEDING
)
CAUSAL = _phrases("""because | since | therefore | thus | hence | as a result | so that | leads to | lead to |
    results in | result in | due to | consequently | for example | for instance | studies show |
    evidence shows | research shows | which means | after all | as shown | this shows | in this way |
    that is why | that's why | this is why | moreover | furthermore | in addition | likewise | similarly |
    indeed | also | besides | for one thing | for another | plus | in particular because | what is more |
    what's more | in other words | it follows | so the | this means | not least | including | as too |
    just as""")
QUALIFIER = _phrases("""only if | specifically | except | in cases where | provided that | as long as |
    unless | in particular | under the condition | to the extent | more precisely | at least for | only when |
    only for | limited to | with the exception | so long as | at least when | at least where | insofar as |
    depends on | in the case of | as far as | especially | particularly | not always | only where |
    mainly when | mostly when | holds for | to be precise | but only | if and only if""")
CHALLENGE = _phrases("""what evidence | is there data | how do we know | is there evidence |
    where is the evidence | how can we be sure | on what basis | who says | what makes you | how would we |
    what data | do we know | can you show | it is unclear whether | it remains to be shown | i wonder |
    i would ask | i would like to know | remains an open question | nobody has shown whether |
    it is not clear how | it is not clear whether | has anyone | what would""")
QUESTION_WORDS = word_set("who what when where why how which whose whom")
AUXILIARIES = word_set("""is are was were be been being am do does did has have had can could may might must
    shall should will would cannot can't won't don't doesn't isn't aren't shouldn't wouldn't ought didn't
    wasn't weren't""")
"""Finite auxiliaries, copulas and modals, which mark the start of the predicate."""
IRREGULAR_VERBS = word_set("""spent came went fell rose got made gave took said found lost won kept grew
    became began brought bought built paid sold stood told thought wrote meant met ran saw sent drove led felt
    held heard knew learnt learned spoke understood taught caught chose broke ate drew showed seems remains
    means needs makes gets goes comes takes""")
DEONTIC = word_set("should must ought shall need needs shouldn't mustn't supposed imperative obligation duty")
MODALS = DEONTIC | word_set("can could may might will would cannot can't won't couldn't")
COMPARATIVE = word_set("""more less fewer better worse higher lower greater larger smaller most least best
    worst cheaper faster slower than percent per half twice double majority increase increases increased
    decrease decreases decreased reduce reduces reduced rise rises rose fall falls fell""")
STANCE_ADVERBS = word_set("""clearly certainly obviously undoubtedly surely definitely essentially
    fundamentally inherently unfortunately fortunately probably likely arguably importantly necessarily rarely
    generally usually often always never seriously significantly substantially largely mainly""")
HEDGES = word_set("""perhaps maybe possibly might may could seems seem appears appear suggest suggests
    somewhat roughly probably apparently allegedly guess suppose""")
META = _phrases("""thank you | thanks | let me | let us | let's | as i said | as mentioned | i will now |
    we will now | next speaker | my turn | this article | see also | this section | the following |
    main article | this page | for more information | external links | good morning | good afternoon |
    welcome to | hello | moving on | in this paper | we present | table shows | figure shows |
    as shown in fig | i agree with you | further reading | table  | figure  | according to table | the table |
    the figure | the values | retrieved on | edit source | i yield""")
ACTORS = _stems("""need rely prefer use user researcher government state nation country society house people
    we you they public citizen person one anyone everyone all world use usage using way sometimes always new
    more most order effective method basis allow allowed idea thing good right able would today current future
    primary focus main case justify""")
"""Stems too general to be a topic's subject."""
GENERAL = _stems("""power energy search retrieval evaluation system recommender recommendation research work
    study technology approach""")
"""Stems that a topic shares with its rivals (`wind power`, `nuclear power`): targets if no other is."""
RIVALS: tuple[tuple[frozenset[str], frozenset[str]], ...] = tuple(
    (_stems(one), _stems(other))
    for one, other in (
        ("open free", "proprietary closed commercial"),
        (
            "llm llms model models ai automatic machine algorithmic synthetic simulated simulation",
            "human humans manual assessor assessors",
        ),
        ("wind solar renewable renewables hydroelectric hydro hydropower", "fossil coal"),
        ("dense neural embedding learned", "lexical sparse bm25 keyword"),
        ("offline", "online live"),
        ("private", "public"),
        ("children reproduction procreate birth", "childfree childless extinction abstinence antinatalist"),
        ("compulsory mandatory", "voluntary optional freedom liberty choice choose free freely"),
        ("centralised centralized central", "decentralised decentralized distributed"),
    )
)
"""Pairs of opposing word groups: if the topic is about one group, praise of the other counts against it."""
