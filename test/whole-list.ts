import type { ListQuery } from '../src/platform/storage/index.ts'

/** All rows, in id order. */
export const wholeList: ListQuery = {
  start: 0,
  limit: undefined,
  filter: { op: 'and', of: [] },
  order: [],
}
