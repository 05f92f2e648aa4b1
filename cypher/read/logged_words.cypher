// Which of some utterances are there, by space and id; one row.
//
// mode: read
// param $words: for each `space` and `id`
// returns: words
UNWIND $words AS wanted
MATCH (words:Episode {space: wanted.space, id: wanted.id})
RETURN collect([words.space, words.id]) AS words
