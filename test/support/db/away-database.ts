const away = async (): Promise<never> => {
  throw new Error("D1_ERROR: the database is away");
};

function statement(): D1PreparedStatement {
  const own = { bind: () => own, all: away, first: away, run: away, raw: away };
  return own as unknown as D1PreparedStatement;
}

/** A database that answers nothing. */
export const awayDatabase = {
  withSession: () => ({ prepare: statement, batch: away, getBookmark: () => null }),
} as unknown as D1Database;
