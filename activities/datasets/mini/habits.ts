/**
 * How imperfect the scripted experts are, as probabilities. They are what a policy that imitates them starts from:
 * good enough to be rewarded, bad enough that there is something to find. Every number of subtasks has some weight,
 * because what the experts never do is never tried.
 */
export interface Habits {
  /** Weights of looking into 1, 2, … 7 members of a group, cut to how many there are. */
  members: readonly number[];
  /** A subtask is about a member's first name with another's last: what a policy that copies badly asks, and must survive. */
  misname: number;
  /** One member's subtask (or, for the single agent, row) leaves out one of the two attributes. */
  forgetAttribute: number;
  /** A found value is reported as unknown. */
  forgetValue: number;
  /** A subagent reports without having searched. */
  skipSearch: number;
  /** A query has only half of the name. */
  halfQuery: number;
  /** After a page about something else: searches once more. */
  retry: number;
  /** A list of members ends too early. */
  cutList: number;
  /** The final table leaves out a row that was reported. */
  dropRow: number;
}

export const HABITS: Habits = {
  members: [24, 20, 16, 13, 11, 9, 7],
  misname: 0.07,
  forgetAttribute: 0.12,
  forgetValue: 0.02,
  skipSearch: 0.05,
  halfQuery: 0.04,
  retry: 0.6,
  cutList: 0.06,
  dropRow: 0.02,
};
