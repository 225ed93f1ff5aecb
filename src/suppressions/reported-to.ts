import Type from 'typebox'
import type { Caller } from '../kit/caller.ts'
import type { ListExtra } from '../resource/index.ts'
import type { RecordStore } from '../storage/index.ts'
import type { SuppressionReason, SuppressionRow } from './table.ts'

/** A Mautic that was notified of a suppression. */
export interface NotifiedMautic {
  id: number
  name: string
}

/** Finds the Mautics that were notified of suppressions, in the order of the suppressions. */
export type FindNotified = (
  suppressions: readonly { address: string; reason: SuppressionReason }[],
) => Promise<readonly (readonly NotifiedMautic[])[]>

const schema = Type.Array(Type.Object({ id: Type.Integer(), name: Type.String() }), {
  description:
    'The Mautics to which the address was reported for this reason: deleting the suppression takes that back. In a list only with `?with=reportedTo`.',
})

/** Creates the member `reportedTo` of a list. Callers of a Mautic see their own. */
export function createReportedTo(
  store: Pick<RecordStore<SuppressionRow>, 'findMany'>,
  findNotified: FindNotified = async (suppressions) => suppressions.map(() => []),
): ListExtra {
  return {
    schema,
    async find(ids: readonly number[], { mautic }: Caller) {
      const rows = await store.findMany(ids)
      const notified = await findNotified(rows)
      const byId = new Map(rows.map(({ id }, index) => [id, notified[index] ?? []]))
      return ids.map((id) =>
        (byId.get(id) ?? []).filter((each) => mautic === undefined || each.id === mautic.id),
      )
    },
  }
}
