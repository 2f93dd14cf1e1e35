"""Wordings of short posts and comments: stances, the statement, and what stands around a fact."""

from collections.abc import Mapping, Sequence

from openiir.kit.text_tables import read_text_table
from openiir.plugin import Stance

STANDS: Mapping[Stance, Sequence[str]] = {
    "firmly in favour": ("I am all for it", "I say a firm yes", "I vote yes every time"),
    "in favour": ("I am for it", "I say yes", "I vote yes"),
    "leaning in favour": ("on balance I am for it", "I would rather say yes", "I lean towards yes"),
    "undecided": ("I have not made up my mind", "I can see both sides", "I go back and forth on it"),
    "leaning against": ("on balance I am not for it", "I would rather say no", "I lean towards no"),
    "against": ("I am against it", "I say no", "I vote no"),
    "firmly against": ("I am firmly against it", "I say a firm no", "I vote no every time"),
}
"""First-person clauses that state a stance; none is part of one on another side."""
ASKS = (
    "{statement}?",
    "“{statement}”: agree or not?",
    "{statement}, yes or no?",
    "“{statement}”, right or wrong?",
)
"""Ways to bring up the statement, which may have any form; questions, so that nobody is taken to claim it."""
WORDINGS: Mapping[str, Sequence[str]] = read_text_table("""
own | {fact} So {stand}. | {fact} Reason enough for me. {Stand}. | {ask} {Stand}. {fact} |
    {ask} {fact} So {stand}. | {ask} {Stand}. Here is one reason. {fact} | {fact} {ask} {Stand}. |
    Just so you know. {fact} {ask} {Stand}. | Think about it. {fact} {Stand}. |
    {fact} That counts for me. {Stand}. | You want to know why {stand}? {fact} |
    Let us talk about {matter}. {fact} {Stand}. | Can we look at the facts? {fact} {Stand}.
read | {fact} Make of that what you will. {Stand}. |
    Something I read. {fact} Take it for what it is. {Stand}. |
    {ask} {Stand}. I also came across this. {fact} | I read up on {matter}. {fact} As for me, {stand}. |
    {fact} Is that enough? {Stand}. | {fact} Noted. {ask} {Stand}.
open | {ask} {Stand}. This is what I have found. {fact} | {fact} What do you make of that? |
    Does anybody know more about {matter}? All I have is this. {fact} |
    {fact} How much should that weigh? | Let us read about {matter}. {fact} {Stand}. |
    {ask} {fact} Does that speak for it or against it? | Today I learned this. {fact} {Stand}.
own bare | {ask} {Stand}. Look at {topic}. | Thinking of {topic} again. {Stand}. |
    You want to know why {stand}? Look at {topic}. | {ask} {Stand}. What about you? |
    {ask} {Stand}. Who else has {topic} in mind? | Back to {topic}. {ask} {Stand}. |
    Is it all about {topic}? For me, yes. {Stand}. | {ask} Think of {topic}. {Stand}. |
    Not much to add on {topic} today. {Stand}. | So much talk about {topic} lately. {ask} {Stand}. |
    Can we talk about {topic} for once? {Stand}. |
    {ask} Ask me about {topic} and you know it already. {Stand}. |
    First things first, {topic}. {ask} {Stand}. | Do you think of {topic} too? {Stand}.
open bare | {ask} {Stand}. What should I read about {topic}? |
    How do you see it, with {topic} in mind? {Stand}. | {ask} {Stand}. Mostly over {topic}. |
    What matters most to you about {topic}? {Stand}. | Back to {topic}. {ask} {Stand}. |
    {ask} {Stand}. Who has an argument about {topic}? | {ask} {Stand}. Convince me. |
    Who can tell me more about {topic}? {Stand}.
heard agree | I am with {name} on {topic}. {ask} {Stand}. |
    Have you read {name} on {topic}? That is how I see it. {Stand}. |
    {ask} Like {name}, look at {topic}. {Stand}.
heard differ | Have you read {name} on {topic}? I see it differently. {Stand}. |
    {ask} Not {name} on {topic} again. {Stand}. | Over to you on {topic}, {name}. {ask} {Stand}.
heard wonder | Still thinking of {name} on {topic}. {ask} {Stand}. |
    Have you read {name} on {topic}? {Stand}.
agree | Same here{to}. {fact} | With you on that{to}. {fact} | Yes, and there is more. {fact} |
    With you on {claimed}{to}. {fact} | I see it the same way{to}. {fact} | Exactly{to}. {fact}
agree bare | With you on {claimed}{to}. {Stand}. | Same here{to}. {Stand}. |
    Good point about {claimed}{to}. {Stand}. | That is how I see it too{to}. {Stand}. |
    I see it the same way{to}. {Stand}. | Exactly{to}. {Stand}.
differ | I see it differently{to}. {fact} | There is another side to {claimed}{to}. {fact} |
    But think of this{to}. {fact} | Not convinced{to}. {fact} | And yet. {fact} So {stand}. |
    Let me disagree{to}. {fact}
differ bare | I see it differently{to}. {Stand}. | What makes you so sure about {matter}{to}? {Stand}. |
    That does not convince me{to}. {Stand}. | On {matter} I am not convinced{to}. {Stand}. |
    Let me disagree{to}. {Stand}. | And {matter} decides it for you{to}? {Stand}.
wonder | Let me add this{to}. {fact} How does that fit? |
    Hm. {fact} Does that change anything for you{to}? | To add something on {claimed}. {fact} |
    Is that all there is to it{to}? {fact}
wonder bare | Where is that about {claimed} from{to}? | Is there more to read on {claimed}{to}? |
    What do others make of {matter}? {Stand}. | Thanks{to}. {Stand}. | What makes you see it that way{to}?
answer | Let me answer{to}. {fact} | {fact} That is all I have on it{to}. | Does this help{to}? {fact}
answer bare | As for me{to}? {Stand}. | Since you bring it up{to}. {Stand}. | Me{to}? {Stand}.
note bare | See the note{to}. | Have you seen the note on this{to}? | Read the note{to}.
""")
"""Posts and comments around a fact, and `bare` ones without; none asserts anything about the world."""
TAILS: Sequence[Sequence[str]] = (
    ("Tell me if I am missing something.", "I may well be wrong."),
    ("What do you think?", "Who sees it that way too?"),
    ("No doubt about it.", "Nobody will talk me out of that."),
)
"""Last sentences of those who lean, of those who are for or against, and of those who are so firmly."""
