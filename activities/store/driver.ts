import type { DatabaseConnection, Driver } from 'kysely';

/** Runs one call to the database; adds retries and turns driver errors into `WideseekError`. */
export type Guard = <T>(call: () => Promise<T>) => Promise<T>;

/** Puts a guard around every statement and every new connection of a driver. */
export const guardDriver = (inner: Driver, guard: Guard, own: Partial<Driver> = {}): Driver => {
  const guarded = new WeakSet<DatabaseConnection>();
  return {
    init: () => guard(() => inner.init()),
    acquireConnection: async () => {
      const connection = await guard(() => inner.acquireConnection());
      if (!guarded.has(connection)) {
        // Shadowed in place: drivers recognise their connections by identity when they are released.
        const execute = connection.executeQuery.bind(connection);
        connection.executeQuery = (query) => guard(async () => execute(query));
        guarded.add(connection);
      }
      return connection;
    },
    beginTransaction: (connection, settings) => inner.beginTransaction(connection, settings),
    commitTransaction: (connection) => inner.commitTransaction(connection),
    rollbackTransaction: (connection) => inner.rollbackTransaction(connection),
    releaseConnection: (connection) => inner.releaseConnection(connection),
    destroy: () => inner.destroy(),
    ...own,
  };
};
