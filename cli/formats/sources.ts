import type { CellEvidence, SeekResult } from '../../domain/run.ts';

type Supported = Extract<CellEvidence, { status: 'supported' }>;

/** One cited quote with its number in the list of sources. */
export interface Source {
  number: number;
  url: string;
  title: string;
  quote: string;
}

/** Evidence prepared for printing: equal page and quote share a number; numbers follow reading order. */
export interface Sources {
  list: readonly Source[];
  /** The evidence of a cell; undefined where the run grounded nothing at that place. */
  of(row: number, column: number): CellEvidence | undefined;
  /** The source number of a supported cell. */
  numberOf(row: number, column: number): number | undefined;
}

/** Numbers the sources of a result's table. With equal column names the evidence is taken in column order. */
export const sourcesOf = (result: Pick<SeekResult, 'table' | 'evidence'>): Sources => {
  const columns = result.table?.columns ?? ['answer'];
  const byCell = new Map<string, CellEvidence>();
  const used = new Map<string, number>();
  for (const cell of result.evidence) {
    const name = JSON.stringify([cell.row, cell.column]);
    const from = used.get(name) ?? -1;
    const column = columns.indexOf(cell.column, from + 1);
    if (column < 0) continue;
    used.set(name, column);
    byCell.set(`${cell.row}:${column}`, cell);
  }
  const numbers = new Map<string, number>();
  const list: Source[] = [];
  const identity = ({ url, quote }: Supported): string => JSON.stringify([url, quote]);
  const rows = result.table?.rows.length ?? 1;
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns.length; column += 1) {
      const cell = byCell.get(`${row}:${column}`);
      if (cell?.status !== 'supported' || numbers.has(identity(cell))) continue;
      numbers.set(identity(cell), list.length + 1);
      list.push({ number: list.length + 1, url: cell.url, title: cell.title, quote: cell.quote });
    }
  return {
    list,
    of: (row, column) => byCell.get(`${row}:${column}`),
    numberOf: (row, column) => {
      const cell = byCell.get(`${row}:${column}`);
      return cell?.status === 'supported' ? numbers.get(identity(cell)) : undefined;
    },
  };
};

/** Only web addresses become links; anything else is shown as text. */
export const isLink = (url: string): boolean => {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  return parsed?.protocol === 'https:' || parsed?.protocol === 'http:';
};
