/** One result of a search. `text` is the passage or snippet that matched. */
export interface Hit {
  url: string;
  title: string;
  text: string;
  /** Provider's own scale, higher is better; absent where the provider gives none. */
  score?: number;
}

/** A page's whole readable text. `text` is Markdown or plain text and is never cut here. */
export interface Page {
  url: string;
  title: string;
  text: string;
}

/** Why a page cannot be read; shown to the model and in reports, never cached as content. */
export interface Unreadable {
  url: string;
  unreadable: string;
}

/**
 * Search and page access behind one port: the embedded index, Qdrant and the web implement it.
 * An outage throws a `WideseekError`; an empty list means that there truly are no results.
 */
export interface SearchProvider {
  readonly name: string;
  /** At most `topK` hits, best first. */
  search(query: string, topK: number, signal: AbortSignal): Promise<Hit[]>;
  /** The page at `url`, or why it cannot be read. Unknown to the provider: `unreadable: 'not_found'`. */
  access(url: string, signal: AbortSignal): Promise<Page | Unreadable>;
}

/** Turns texts into unit vectors. Used by the index and by the extractive policy. */
export interface Encoder {
  readonly name: string;
  readonly dimensions: number;
  /** `kind` picks the model's prefix (E5: `query: ` / `passage: `); rows are L2-normalised, in input order. */
  embed(texts: readonly string[], kind: 'query' | 'passage'): Promise<Float32Array[]>;
}
