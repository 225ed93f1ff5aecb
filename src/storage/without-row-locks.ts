import type { KyselyPlugin } from 'kysely'

/** Leaves out `for update`, which SQLite lacks and, with one writer at a time, does not need. */
export const withoutRowLocks: KyselyPlugin = {
  transformQuery({ node }) {
    if (node.kind !== 'SelectQueryNode' || !('endModifiers' in node)) return node
    const { endModifiers: _, ...rest } = node
    return rest
  },
  transformResult: async ({ result }) => result,
}
