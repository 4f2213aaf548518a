import type { Connection } from '@temporalio/client';

/** Numbers of `temporal.api.enums.v1.IndexedValueType`. */
const INDEXED_TYPE = { Keyword: 2, Double: 4 } as const;

/** Attributes by which the Temporal UI filters runs; the workflows set them. */
export const SEARCH_ATTRIBUTES = {
  WideseekRun: 'Keyword',
  WideseekRole: 'Keyword',
  WideseekStopReason: 'Keyword',
  WideseekStatus: 'Keyword',
  WideseekDataset: 'Keyword',
  WideseekPolicy: 'Keyword',
  WideseekScore: 'Double',
} as const satisfies Record<string, keyof typeof INDEXED_TYPE>;

/** Flags of `temporal server start-dev` that register them; a database that exists already ignores these. */
export const searchAttributeFlags = (): string[] =>
  Object.entries(SEARCH_ATTRIBUTES).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]);

/** Names from `SEARCH_ATTRIBUTES` that the namespace does not have. */
export const missingSearchAttributes = async (
  connection: Connection,
  namespace: string,
): Promise<string[]> => {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  return Object.keys(SEARCH_ATTRIBUTES).filter((name) => !(name in (customAttributes ?? {})));
};

/** Registers what is missing. Throws the service's error where the namespace refuses (a hosted one may). */
export const registerSearchAttributes = async (connection: Connection, namespace: string): Promise<void> => {
  const missing = await missingSearchAttributes(connection, namespace);
  if (missing.length === 0) return;
  const searchAttributes = Object.fromEntries(
    missing.map((name) => [name, INDEXED_TYPE[SEARCH_ATTRIBUTES[name as keyof typeof SEARCH_ATTRIBUTES]]]),
  );
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
};
