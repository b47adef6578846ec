const fail = async (): Promise<never> => {
  throw new Error("D1_ERROR: the database is unavailable");
};

function statement(): D1PreparedStatement {
  const failingStatement = { bind: () => failingStatement, all: fail, first: fail, run: fail, raw: fail };
  return failingStatement as unknown as D1PreparedStatement;
}

/** A database whose calls all fail. */
export const failingDatabase = {
  withSession: () => ({ prepare: statement, batch: fail, getBookmark: () => null }),
} as unknown as D1Database;
