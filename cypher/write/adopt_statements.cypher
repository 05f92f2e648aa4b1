// Gives statements of an earlier version their places in the log of their subject.
//
// mode: write
// param $space: their space
// param $rows: for each its `id`, and `properties`: place and salt
UNWIND $rows AS row
MATCH (episode:Episode {space: $space, id: row.id})
SET episode += row.properties
