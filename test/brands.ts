import assert from 'node:assert/strict'
import { unwrap } from '../src/kit/batch-item-result.ts'
import type { Caller } from '../src/kit/caller.ts'
import type { ResourceService } from '../src/platform/resource/index.ts'
import { wholeList } from './whole-list.ts'

type Records<Item, Input> = ResourceService<Item, Input> & {
  getRow: (id: number, caller: Caller) => Promise<unknown>
}

/** A record, who asks for it, and values that it could have. */
interface Asked<Input> {
  id: number
  caller: Caller
  input: Input
}

/** Asserts that a record does not exist for a caller, who neither sees nor changes it. */
export async function assertHidden<Item extends { id: number }, Input>(
  records: Records<Item, Input>,
  asked: Asked<Input>,
): Promise<void> {
  const { id, caller } = asked
  for (const read of [() => records.get(id, caller), () => records.getRow(id, caller)])
    await assert.rejects(async () => read(), { kind: 'not_found' })
  assert.ok(!(await listIds(records, caller)).includes(id))
  await assertUnchangeable(records, asked, 'not_found')
}

/** Asserts that a caller sees a record, and may not change it, because it belongs to no brand. */
export async function assertReadOnly<Item extends { id: number }, Input>(
  records: Records<Item, Input>,
  asked: Asked<Input>,
): Promise<void> {
  const { id, caller } = asked
  await records.get(id, caller)
  assert.ok((await listIds(records, caller)).includes(id))
  await assertUnchangeable(records, asked, 'forbidden')
}

async function assertUnchangeable<Item, Input>(
  records: Records<Item, Input>,
  { id, caller, input: values }: Asked<Input>,
  kind: 'not_found' | 'forbidden',
): Promise<void> {
  const context = { caller, isAtomic: true }
  for (const change of [
    () => records.edit([{ id, mode: 'patch', values }], context),
    () => records.remove([{ id }], context),
  ])
    await assert.rejects(async () => unwrap((await change())[0]), { kind })
}

async function listIds<Item extends { id: number }>(
  records: Pick<ResourceService<Item, unknown>, 'list'>,
  caller: Caller,
): Promise<number[]> {
  const ids: number[] = []
  for await (const page of records.list(wholeList, caller).pages())
    ids.push(...page.map(({ id }) => id))
  return ids
}
