/**
 * The texts of the miniature's agents that are more than words, each one token of its model. What the agents write is
 * put together from these and from words with a space before them, so that one text has one way to be cut.
 */
export const LEAD_CALL = {
  open: '<tool_call>\n{"name": "create_sub_agents", "arguments": {"sub_agents": [{"prompt": "',
  next: '"}, {"prompt": "',
  close: '"}]}}\n</tool_call>',
} as const;
export const SUBAGENT_CALL = {
  open: '<tool_call>\n{"name": "search", "arguments": {"queries": [{"query": "',
  close: '", "count": 1}]}}\n</tool_call>',
} as const;
export const SINGLE_CALL = {
  open: '<tool_call>\n{"name": "search", "arguments": {"query": "',
  close: '", "count": 1}}\n</tool_call>',
} as const;
/** A table with the key column and two more, in the fence that a final answer must have. */
export const ANSWER = {
  open: '```markdown\n| member |',
  header: ' |\n| --- | --- | --- |\n|',
  cell: ' |',
  row: ' |\n|',
  close: ' |\n```',
} as const;
/** A subagent's report on one entity is one row; on a group it is the list of its members. */
export const REPORT = { row: '|', list: 'members:', nothing: 'none' } as const;
/** A value that was not found. */
export const UNKNOWN = '?';
/** Subtask and query that ask for a group's page. */
export const MEMBERS_OF = ' members of';
