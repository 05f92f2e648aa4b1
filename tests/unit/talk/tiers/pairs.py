"""Pairs of memories of one conversation, labelled by what they are to each other; older first. Our own sentences."""

DUPLICATES = (
    (
        "Ann moved from Leeds to Bern in May and rents a small flat near the river. She works at the botanical garden.",
        "In May Ann moved from Leeds to Bern. She rents a small flat near the river and works at the botanical garden.",
    ),
    (
        "Ben trains for the Lisbon marathon and runs forty kilometres a week. His left knee aches after long runs.",
        "Ben is training for the Lisbon marathon: forty kilometres a week. After long runs his left knee aches.",
    ),
    (
        "Ann: My sister Clara had a baby girl called Ida on Sunday. Ann: Both are well and home again.",
        "Ann: My sister Clara had a baby girl on Sunday, called Ida. Ann: They are both well and home again.",
    ),
    (
        "Ben's boat lies in the old harbour. The place costs four hundred euros a year, and he wants to sell the boat.",
        "Ben wants to sell his boat, which lies in the old harbour; the place there costs four hundred euros a year.",
    ),
    (
        "Ann bakes sourdough bread every Saturday with rye flour from the mill in Thun.",
        "Every Saturday Ann bakes sourdough bread with rye flour from the mill in Thun.",
    ),
    (
        "Ben reads Icelandic sagas and learns Icelandic with an app, half an hour each evening.",
        "Ben learns Icelandic with an app for half an hour each evening, and reads Icelandic sagas.",
    ),
    (
        "Ann: The roof of the shed leaks above the tool bench. Ann: The roofer Mr Zbinden comes on Friday morning.",
        "Ann: The shed roof leaks above the tool bench. Ann: Mr Zbinden, the roofer, comes on Friday morning.",
    ),
    (
        "Ben's daughter Mia plays the cello and has her first concert in the town hall in June.",
        "Ben's daughter Mia, who plays the cello, has her first concert in June in the town hall.",
    ),
    (
        "Ann wants to grow tomatoes and basil on the balcony and asked how often to water them in summer.",
        "Ann asked how often tomatoes and basil on the balcony need water in summer; she wants to grow them.",
    ),
    (
        "Ben: I quit my job at the bank. Ben: From March on I teach mathematics at the evening school.",
        "Ben: I have quit my job at the bank. Ben: I teach mathematics at the evening school from March on.",
    ),
    (
        "Ann's dog Rollo has to take tablets for his heart every morning, and hides when he sees the box.",
        "Every morning Ann's dog Rollo has to take tablets for his heart; he hides when he sees the box.",
    ),
    (
        "Ben plans a bicycle tour along the Danube in August with his brother, from Passau to Vienna in seven days.",
        "In August Ben and his brother plan a bicycle tour along the Danube, from Passau to Vienna in seven days.",
    ),
    (
        "Ann collects old maps. The best one is a map of Crete from 1680 that hangs above her desk.",
        "Ann collects old maps; her best is one of Crete from 1680, and it hangs above her desk.",
    ),
    (
        "Ben: Our team lost the chess final by half a point. Ben: Next season we want a coach.",
        "Ben: Our team lost the final in chess by half a point. Ben: We want a coach next season.",
    ),
    (
        "Ann sings alto in the choir of Saint Peter's, which rehearses the Brahms Requiem on Tuesdays.",
        "Ann sings alto in the Saint Peter's choir; on Tuesdays it rehearses the Brahms Requiem.",
    ),
    (
        "Ben's printer jams with thick paper; turning the roller by hand helped.",
        "Ben's printer jams with thick paper. It helped to turn the roller by hand.",
    ),
)
"""The newer says nothing new."""

CONTRADICTIONS = (
    (
        "Ann rents a small flat near the river in Bern. She pays nine hundred francs a month.",
        "Ann rents a small flat near the river in Bern. She now pays eleven hundred francs a month.",
    ),
    (
        "Ben's favourite colour is red. He painted the garden door red.",
        "Ben's favourite colour is blue. He painted the garden door blue.",
    ),
    (
        "Ann's meeting with the bank about the loan is on Monday at nine in the branch at the station.",
        "Ann's meeting with the bank about the loan is on Thursday at four in the branch at the station.",
    ),
    (
        "Ben eats meat and likes his steak rare. He cooks every evening.",
        "Ben no longer eats meat. He cooks every evening.",
    ),
    (
        "Ann: The wedding of my cousin Lea is in June in Rome. Ann: I wear the green dress.",
        "Ann: The wedding of my cousin Lea is in September in Rome. Ann: I wear the yellow dress.",
    ),
    (
        "Ben's car is an old silver Volvo with a broken heater.",
        "Ben's car is a new white Volvo; he sold the old silver one with the broken heater.",
    ),
    (
        "Ann works three days a week at the botanical garden and is paid by the hour.",
        "Ann works five days a week at the botanical garden and is paid by the month.",
    ),
    (
        "Ben wants to sell his boat in the old harbour this spring.",
        "Ben does not want to sell his boat in the old harbour any more; this spring he repairs it.",
    ),
    (
        "Ann: The roofer Mr Zbinden comes on Friday morning to mend the shed.",
        "Ann: The roofer Mr Zbinden comes on Tuesday afternoon to mend the shed.",
    ),
    (
        "Ben's team trains in the gym of the north school on Wednesdays at seven.",
        "Ben's team trains in the gym of the south school on Wednesdays at eight.",
    ),
    (
        "Ann's dog Rollo weighs eighteen kilograms and gets one tablet every morning.",
        "Ann's dog Rollo weighs fifteen kilograms and gets two tablets every morning.",
    ),
    (
        "Ben decided to study law in Vienna from autumn on.",
        "Ben decided to study medicine in Vienna from autumn on instead of law.",
    ),
    (
        "Ann's password for the choir's website was changed by Tom. The rehearsal is on Tuesdays.",
        "Ann's password for the choir's website was changed by Eva. The rehearsal is on Mondays.",
    ),
    (
        "Ben: The tour along the Danube goes from Passau to Vienna. Ben: We sleep in tents.",
        "Ben: The tour along the Danube goes from Passau to Linz only. Ben: We sleep in inns.",
    ),
    (
        "Ann drinks four cups of coffee a day and sleeps badly.",
        "Ann drinks one cup of coffee a day now and sleeps well.",
    ),
    (
        "Ben's daughter Mia plays the cello in the school orchestra.",
        "Ben's daughter Mia plays the viola in the school orchestra, no longer the cello.",
    ),
)
"""The same matter, another value: the newer holds."""

NEAR_MISSES = (
    (
        "Ann rents a small flat near the river in Bern and works at the botanical garden.",
        "Ann visited the botanical garden of Padua on holiday and took pictures of the old palm.",
    ),
    (
        "Ben trains for the Lisbon marathon and runs forty kilometres a week.",
        "Ben watched the Olympic marathon on television with his brother and a bowl of crisps.",
    ),
    (
        "Ann: My sister Clara had a baby girl called Ida on Sunday.",
        "Ann: My sister Clara looks for a new flat with a lift and a balcony.",
    ),
    (
        "Ben's boat lies in the old harbour, and he wants to sell it.",
        "Ben took the ferry to Corsica and was seasick for the whole night.",
    ),
    (
        "Ann bakes sourdough bread every Saturday with rye flour from the mill.",
        "Ann tried a new recipe for lemon cake, and it burnt because the oven clock is slow.",
    ),
    (
        "Ben learns Icelandic with an app, half an hour each evening.",
        "Ben helps his neighbour from Syria with German lessons on Thursdays.",
    ),
    (
        "Ann: The roof of the shed leaks above the tool bench.",
        "Ann: The tap in the kitchen drips, and the plumber wants two hundred francs.",
    ),
    (
        "Ben's daughter Mia plays the cello and has her first concert in June.",
        "Ben's daughter Mia broke her arm on the playground and wears a blue cast.",
    ),
    (
        "Ann grows tomatoes and basil on the balcony.",
        "Ann bought tomatoes and basil at the market for the party on Friday.",
    ),
    (
        "Ben quit his job at the bank and teaches mathematics at the evening school.",
        "Ben went to the bank to change money for his journey to Norway.",
    ),
    (
        "Ann's dog Rollo has to take tablets for his heart every morning.",
        "Ann's cat Minka had four kittens in the laundry basket.",
    ),
    (
        "Ben plans a bicycle tour along the Danube in August with his brother.",
        "Ben's bicycle was stolen in front of the library, and the police have no hope.",
    ),
    (
        "Ann collects old maps, and the best one hangs above her desk.",
        "Ann bought a standing desk because her back hurts.",
    ),
    (
        "Ben's team lost the chess final by half a point.",
        "Ben's football team won the cup after a penalty shoot-out.",
    ),
    (
        "Ann sings alto in the choir, which rehearses the Brahms Requiem on Tuesdays.",
        "Ann heard a string quartet by Brahms on the radio while she ironed.",
    ),
    (
        "Ben's printer jams with thick paper.",
        "Ben ordered thick paper for the invitations to his birthday.",
    ),
)
"""The same people and much the same words, another matter."""

UNRELATED = tuple(
    (older, newer) for (older, _), (_, newer) in zip(DUPLICATES, (*DUPLICATES[7:], *DUPLICATES[:7]), strict=True)
)
"""Memories of one conversation without anything in common but the speakers."""

GONE = (
    "nine hundred",
    "is red",
    "Monday",
    "eats meat and",
    "green dress",
    "silver Volvo with",
    "three days",
    "wants to sell his boat",
    "Friday",
    "north school",
    "eighteen",
    "study law in",
    "by Tom",
    "Vienna",
    "four cups",
    "plays the cello",
)
"""For each contradiction, words of the older memory that hold no longer."""
QUESTIONS = (
    ("What does Ann pay for her flat?", "eleven hundred"),
    ("What is Ben's favourite colour?", "blue"),
    ("When is the meeting about the loan?", "Thursday"),
    ("Does Ben eat meat?", "no longer eats meat"),
    ("When is Lea's wedding?", "September"),
    ("Which car does Ben drive?", "new white Volvo"),
    ("How many days does Ann work at the botanical garden?", "five days"),
    ("Does Ben sell his boat?", "does not want to sell"),
    ("When does the roofer come to mend the shed?", "Tuesday afternoon"),
    ("Where does Ben's team train?", "south school"),
    ("How much does Rollo weigh?", "fifteen kilograms"),
    ("What does Ben study in Vienna?", "medicine"),
    ("Who changed the password of the choir's website?", "by Eva"),
    ("Where does the tour along the Danube end?", "Linz"),
    ("How much coffee does Ann drink?", "one cup"),
    ("Which instrument does Mia play in the orchestra?", "viola"),
)
"""What holds now, and the words that say so."""

CLASSES = {
    "duplicate": DUPLICATES,
    "contradiction": CONTRADICTIONS,
    "near miss": NEAR_MISSES,
    "unrelated": UNRELATED,
}
