"""Wordings of the built-in user templates, at least eight per act.

`<what>` is an item described ("a horror movie from 1999"), `<it>` what is talked about (a title, items of a
kind, or "it"), `<ask>` a question as it stands and `<asked>` one inside another sentence; `<use>`, `<used>`,
`<Used>` and `<used-once>` are verbs set once for a domain. A wording without a place for values is only used
where there is none to say.
"""

from openiir.kit.text_tables import read_text_table
from openiir.scenarios.conversational.model.dialogue import USER_INTENTS

WORDINGS = read_text_table("""
GREET | Hi. | Hello. | Hey. | Hi there. | Hello there. | Good day. | Hi, how are you? |
    Hello, it is nice to meet you. | Hi there, I hope that you are well.
DISCLOSE | <what>, please. | I want <what>. | I'd like <what>. | I am looking for <what>. |
    Can you recommend <what>? | I feel like <what> tonight. | I am in the mood for <what>. |
    Do you know <what> that I could <use>? | What I am looking for today is <what>. |
    I have some time to spare, and I would like to <use> <what>.
INQUIRE | <ask>? | And <ask>? | So <ask>? | Tell me, <ask>? | Do you know <asked>? |
    Can you tell me <asked>? | I'd like to know <asked>. | Could you please tell me <asked>? |
    Before I decide, I would like to know <asked>.
CONSUMED | <Used> <it>. | I've <used> <it>. | I have <used> <it>. | I <used-once> <it> already. |
    I have already <used> <it>. | I know <it>, I have <used> it before. |
    Actually, I have already <used> <it>. | I have <used> <it> before, some time ago. |
    That is no news to me, as I have already <used> <it>.
LIKE | I like <it>. | I love <it>. | I do like <it>. | I enjoy <it>. | I really like <it>. |
    I like <it> a lot. | I am fond of <it>. | I have to say that I like <it> very much. |
    Nice, and I can say that I am a fan of <it>.
NEUTRAL | No strong feelings about <it>. | I don't mind <it>. | I don't mind <it> either way. |
    I am indifferent to <it>. | I am neutral about <it>. | I neither like nor dislike <it>. |
    I have no strong opinion about <it>. | I could take or leave <it>, to be honest. |
    I have thought about it, and I am in two minds about <it>.
DISLIKE | Not <it>. | I dislike <it>. | I don't like <it>. | I don't enjoy <it>. | I am not into <it>. |
    I don't really like <it>. | I am not a fan of <it>. | Sorry, but I do not care for <it>. |
    Thanks for trying, but I do not like <it> at all.
CRITIQUE | Rather <what>. | I'd rather have <what>. | I would prefer <what>. | It should have been <what>. |
    I was hoping for <what> instead. | That is not it, I asked for <what>. |
    It does not fit, since I need <what>. | Could you find me <what> instead of that? |
    That is close, but what I would rather have is <what>.
ACCEPT | I'll take <it>. | I'll <use> <it>. | I will go with <it>. | I'll give <it> a try. |
    I am going to <use> <it>. | Sounds good, I'll take <it>. | That sounds good, I will <use> <it>. |
    I think that I am going to go with <it>. | That is just what I was looking for, I will <use> <it>.
YES | Yes. | Yes, please. | Yeah. | Sure. | Of course. | Yes, indeed. | Yes, I do. | Yes, that is right. |
    Yes, I would say so. | Yes, <it>. | Yes, <it>, please. | Sure, <it>. | Yeah, <it>. | Of course, <it>. |
    Yes, I would say <it>. | Yes, I would like <it>. | Yes, that is right, I would like <it>.
NO | No. | Nope. | No, thanks. | No, not really. | No, I don't. | Not really. | No, that is not so. |
    No, I would not say so. | No, not <it>. | Nope, not <it>. | No, nothing like <it>. |
    No, I don't want <it>. | No thanks, not <it>. | No, please leave out <it>. |
    No, I do not need <it> at all. | No, I would rather not have <it>.
DONT_KNOW | I don't know. | No idea. | Not sure. | I can't say. | I have no idea. | I am not sure. |
    I really don't know. | I don't mind which, I have no idea. | I am afraid that I have no idea. |
    I don't know about <it>. | No idea about <it>. | I can't say about <it>. | I am not sure about <it>. |
    I have no idea about <it>. | I am undecided about <it>. | I really don't know about <it>. |
    I am afraid that I don't know about <it>.
GIVE_UP | I give up. | Never mind. | Forget it. | This is not working, I give up. |
    This leads nowhere, I'll stop here. | Never mind, I will look elsewhere. |
    I don't think that this is working, so I give up. | I will stop here, as I have not found what I want. |
    I am sorry, but this leads nowhere and I give up.
BYE | Bye. | Goodbye. | Thanks, bye. | Bye for now. | Thank you, goodbye. | That's all, goodbye. |
    Thanks for your help, bye. | Thank you very much and goodbye. |
    That is all that I wanted, thank you and goodbye.
OTHER | Okay. | I see. | Alright. | Go on. | Hm, okay. | I see, go on. | Okay, let us see. |
    Let me think about that. | Okay, let us see what comes of it.
""")
"""Templates by intent; the catalogue reader must understand each of them."""

OPEN = read_text_table("""
DISCLOSE | What is there? | I am looking for <what>. | Can you recommend something? |
    I want something to <use>. | What do you recommend? | I'd like something new to <use>. |
    Can you help me find something to <use>? | I am looking for something good to <use> tonight.
INQUIRE | Tell me more. | Can you tell me more? | Tell me more about it. | Tell me something about it. |
    What more can you tell me? | I'd like to know more about it. | Could you tell me more about it, please? |
    Before I decide, I would like to know more about it.
CRITIQUE | Not quite. | That's not it. | Something else, please. | That is not quite it. |
    Do you have something else? | Can you find something else? | That is not what I was looking for. |
    I would prefer something else, if you have it.
""")
"""Templates for acts without slots, of intents whose templates above need a slot."""

assert tuple(WORDINGS) == USER_INTENTS
