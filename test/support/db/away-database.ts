const away = async (): Promise<never> => {
  throw new Error("D1_ERROR: the database is away");
};

function statement(): D1PreparedStatement {
  const awayStatement = { bind: () => awayStatement, all: away, first: away, run: away, raw: away };
  return awayStatement as unknown as D1PreparedStatement;
}

/** A database whose calls all fail. */
export const awayDatabase = {
  withSession: () => ({ prepare: statement, batch: away, getBookmark: () => null }),
} as unknown as D1Database;
