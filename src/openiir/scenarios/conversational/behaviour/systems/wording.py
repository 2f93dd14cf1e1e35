"""Wordings of the reference systems, several for each act."""

from openiir.kit.text_tables import read_text_table

WORDINGS = read_text_table("""
GREET | Hello! | Hi there, good to have you here. | Welcome! | Hello, let us find you something.
ELICIT genre | What genre are you in the mood for? | Which genre would you like? |
    Is there a genre that you would enjoy today? | What genre should it be?
ELICIT director | Is there a director you would like to see something by? |
    Which director do you have in mind? | Should it be by a certain director?
ELICIT actor | Is there an actor it should star? | Which actor would you like to see in it? |
    Do you have an actor in mind?
ELICIT year | What year should it be from? | Which year did you have in mind? |
    From what year would you like it?
ELICIT author | Is there an author you would like to read? | Which author do you have in mind?
ELICIT title | Can you name one that you liked? | Tell me the title of one you enjoyed, and I go from there. |
    Which one have you liked before? A title will do.
ELICIT keyword | What should it be about? A keyword will do. | Is there a keyword it should match? |
    Which topic or keyword do you have in mind?
ELICIT | What {slot} would you like? | Which {slot} do you have in mind? |
    Do you have a wish for the {slot}? | What should the {slot} be?
RECOMMEND | How about {titles}? | I recommend {titles}. | You could try {titles}. | Have a look at {titles}. |
    My suggestion is {titles}. | What do you think of {titles}? |
    Maybe {titles} is what you are looking for. | Would you like {titles}?
SEVERAL | How about one of these: {titles}? | I recommend these: {titles}. |
    You could try any of these: {titles}. | Here is what I found: {titles}. |
    These might be what you are looking for: {titles}.
INFORM genre | Its genre is {values}. | It counts as {values}. | Genre: {values}.
INFORM director | It was directed by {values}. | The director is {values}. | It is by the director {values}.
INFORM actor | It stars {values}. | You see {values} in it. | The cast has {values}.
INFORM year | It is from {values}. | It came out in {values}. | The year is {values}.
INFORM author | It was written by {values}. | The author is {values}.
INFORM keyword | It is about {values}. | Its keywords are {values}. | Keywords: {values}.
INFORM | Its {slot} is {values}. | The {slot} is {values}. | As for the {slot}: {values}.
UNKNOWN | I do not know its {slot}. | I have nothing on the {slot}, sorry. |
    The {slot} is not in my catalogue.
FITS | It fits what you said: {facts}. | It goes with your wishes: {facts}. | What speaks for it: {facts}. |
    Why this one: {facts}.
ACKNOWLEDGE | Understood, {facts} then. | I see, you would rather have {facts}. | Noted: {facts}. |
    All right, {facts}.
OFFER | Shall I tell you more about it, such as the {slots}? | Would you like to know the {slots}? |
    I can tell you the {slots}, if you like. | Do you want to hear more? I know the {slots}.
DROPPED | I found nothing with all of that, so I leave {facts} aside. |
    Nothing matches everything you said; without {facts} I can go on. |
    There is nothing left that has it all. Let me look without {facts}. |
    I have nothing that fits all your wishes, so I drop {facts}.
NOTHING_FOUND | I have nothing left to recommend. | I am afraid that was all I have. |
    There is nothing else in my catalogue for you.
BYE accepted | Enjoy it! | Goodbye, and enjoy it! | Have fun with it, goodbye! | Glad to have helped. Bye!
BYE left | Too bad, maybe next time. Goodbye! | Goodbye, and come back any time. | Bye, until next time!
BYE | Goodbye! | Bye for now!
""")
"""Wordings by intent; those for one slot or ending of a dialogue have it behind the intent.

SEVERAL recommends several items, UNKNOWN and FITS are INFORM, and DROPPED is NOTHING_FOUND with the wishes
given up.
"""
