import { startStopwatch } from '../../../kit/clock.ts'
import { pause } from '../../../kit/pause.ts'

/** A page of a list, and the position after which the next page continues; undefined at the end. */
export interface ContinuedPage<Row, Position> {
  rows: Row[]
  last: Position | undefined
}

/** Cuts a page out of its rows and the one after it, if there is one. */
export function cutPage<Row>(candidates: readonly Row[], limit: number): ContinuedPage<Row, Row> {
  const rows = candidates.slice(0, limit)
  return { rows, last: candidates.length > limit ? rows.at(-1) : undefined }
}

/** How a list is scanned batch by batch. A position has the columns of a row that it is ordered by. */
export interface Scan<Position, Row extends Position> {
  /** Finds the last row of the batch after a position, whether it matches or not; undefined where fewer rows are left. */
  findEnd(after: Position | undefined): Promise<Position | undefined>
  /** Reads the rows that match, after the one position and up to the other, which is undefined for the last batch. */
  read(
    after: Position | undefined,
    until: Position | undefined,
    limit: number,
  ): Promise<readonly Row[]>
}

/** A scan that finds little stops after so long. */
const scanMaxMs = 2_000

/**
 * Reads a page of a list that no index filters: it is scanned for a limited time, so the page may be short although there is more.
 *
 * @param page.after The last row of the page before; undefined for the first page.
 */
export async function scanPage<Position, Row extends Position>(
  scan: Scan<Position, Row>,
  { after, limit }: { after: Position | undefined; limit: number },
): Promise<ContinuedPage<Row, Position>> {
  const elapsedMs = startStopwatch()
  const rows: Row[] = []
  for (let from = after; ; ) {
    const until = await scan.findEnd(from)
    rows.push(...(await scan.read(from, until, limit - rows.length)))
    if (rows.length === limit) return { rows, last: rows.at(-1) }
    if (until === undefined || elapsedMs() > scanMaxMs) return { rows, last: until }
    from = until
    await pause()
  }
}
