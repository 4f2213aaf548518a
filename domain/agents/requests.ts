/**
 * What an agent asks for, as plain types: workflow code imports this module, and every workflow start evaluates anew
 * what it imports, so no schema belongs here. `calls.ts` makes requests out of a model's tool calls.
 */
export interface DelegateRequest {
  tool: 'delegate';
  callId: string;
  prompt: string;
}
export interface SearchRequest {
  tool: 'search';
  callId: string;
  query: string;
  /** Results wanted. */
  count: number;
}
export interface AccessRequest {
  tool: 'access';
  callId: string;
  url: string;
  /** What the model wants to learn from the page; may be empty. */
  intent: string;
  /** From 1. */
  page: number;
}

/** A question to the person, with what the agent does without an answer. */
export interface ClarifyRequest {
  tool: 'clarify';
  callId: string;
  question: string;
  fallback: string;
}

/** One thing to do. Several requests of one list-form call share its `callId` and are answered together. */
export type ToolRequest = DelegateRequest | SearchRequest | AccessRequest | ClarifyRequest;

/** Something the model did wrong, to be told to it. `callId` null: it belongs to no call. */
export interface CallProblem {
  callId: string | null;
  name: string;
  text: string;
}

/** Two requests with one signature ask for the same thing: the basis of the no-progress detector. */
export function signature(request: ToolRequest): string {
  const fold = (text: string): string => text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
  if (request.tool === 'delegate') return `delegate ${fold(request.prompt)}`;
  if (request.tool === 'clarify') return `clarify ${fold(request.question)}`;
  if (request.tool === 'search') return `search ${fold(request.query)}`;
  return `access ${request.url} ${request.page}`;
}
