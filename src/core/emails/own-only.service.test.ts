import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callerOf } from '../../../test/mautics.ts'
import { createReadContactData } from '../emails/rendering/contact-data.ts'

test('callers of a Mautic do not read contacts of Mailyard', async () => {
  const read = createReadContactData({ getRow: async () => assert.fail() }, () => assert.fail())
  const caller = callerOf({ id: 3, name: 'brand' })
  await assert.rejects(read(1, caller), { kind: 'forbidden', code: 'not_for_mautics' })
})
