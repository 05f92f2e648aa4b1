// Options that stand as excluded in the newest summary of each conversation, and who wrote that summary.
//
// title: Options that were excluded
// mode: read
// returns: space, subject_uid, conversation, excluded_option, version, upto, made_by, made_at

MATCH (conversation:Conversation)
WHERE conversation.summary_version > 0
WITH conversation.uid AS uid, conversation.summary_version AS version
MATCH (summary:Summary {conversation_uid: uid, version: version})
UNWIND summary.excluded_options AS excluded_option
RETURN summary.space AS space,
       summary.subject_uid AS subject_uid,
       summary.conversation AS conversation,
       excluded_option AS excluded_option,
       summary.version AS version,
       summary.upto AS upto,
       summary.made_by AS made_by,
       summary.made_at_iso AS made_at
ORDER BY space, subject_uid, conversation, excluded_option
