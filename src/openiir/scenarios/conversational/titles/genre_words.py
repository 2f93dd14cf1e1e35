"""Everyday words for genres: "something scary" finds whatever a catalogue calls horror."""

GENRE_WORDS = {
    "action": "action, action packed, shoot em up, superhero, super hero",
    "adventure": "adventure, adventurous, quest",
    "animation": "animation, animated, cartoon, cartoons, animated feature",
    "biography": "biography, biographical, biopic, bio pic",
    "children": "children, childrens, kid, kids, kiddie, child friendly, kid friendly",
    "comedy": "comedy, comedic, comical, funny, funnier, funniest, hilarious, humorous, humor, humour, laugh, laughs, slapstick, "
    "stand up",
    "crime": "crime, criminal, gangster, mafia, mob, heist, true crime",
    "documentary": "documentary, doc, docs, docu, docuseries, docudrama",
    "drama": "drama, dramatic, tearjerker, tear jerker",
    "family": "family, family friendly, for the whole family",
    "fantasy": "fantasy, fantastical, sword and sorcery",
    "film noir": "film noir, noir, neo noir",
    "history": "history, historical, historic, period piece, costume drama",
    "horror": "horror, scary, scarier, scariest, frightening, terrifying, spooky, creepy, slasher, gory",
    "music": "music",
    "musical": "musical, sing along",
    "mystery": "mystery, whodunit, whodunnit, murder mystery, detective",
    "romance": "romance, romantic, love story, lovey dovey",
    "sci fi": "sci fi, scifi, science fiction, sf, syfy, space opera, futuristic",
    "sport": "sport, sports, sporty",
    "thriller": "thriller, thrilling, suspense, suspenseful, edge of your seat",
    "war": "war, wartime, military",
    "western": "western, cowboy, cowboys",
}
"""Usual name of a genre to its synonyms, that name first, separated by commas."""
GENRE_BLENDS = {
    "rom com": ("romance", "comedy"),
    "romcom": ("romance", "comedy"),
    "dramedy": ("drama", "comedy"),
}
"""Words for two genres at once, such as romcom, to the usual names of both."""
