import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uniqueName } from '../../test/callers.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { unwrap } from '../kit/batch-item-result.ts'

const editor = { userId: 1, name: 'Ann', email: undefined, isAdmin: true, can: () => true }
const viewer = { ...editor, can: (permission: string) => permission.endsWith(':view') }
const context = { caller: editor, isAtomic: true }
const dsn = 'smtp://ann:s3cret-of-ann@mail.example.com:587'
const masked = 'smtp://ann:********@mail.example.com:587'

onEachDatabase('transports', (shared) => {
  const open = () => shared.service.app.transports
  const add = async (values: object = {}) => {
    const input = { name: uniqueName('transport'), mailerDsn: dsn, ...values }
    return unwrap((await open().create([input], context))[0]).item
  }
  const edit = async (id: number, values: object) =>
    unwrap((await open().edit([{ id, mode: 'patch', values }], context))[0]).item

  test('store DSNs encrypted, and show them in clear to editors alone', async () => {
    const { id } = await add()
    const row = await open().getRow(id)
    assert.doesNotMatch(JSON.stringify(row), /s3cret/)
    assert.equal(await open().dsnOf(row), dsn)
    assert.equal((await open().get(id, editor)).item.mailerDsn, dsn)
    assert.equal((await open().get(id, viewer)).item.mailerDsn, masked)
  })

  test('keep the stored secret where an edit sends its mask', async () => {
    const { id } = await add()
    const before = await open().getRow(id)
    await edit(id, { mailerDsn: masked, description: 'changed' })
    const unchanged = await open().getRow(id)
    assert.equal(unchanged.mailer_dsn, before.mailer_dsn)
    const other = masked.replace('587', '2525')
    assert.equal((await edit(id, { mailerDsn: other })).mailerDsn, dsn.replace('587', '2525'))
  })

  test('find the faults of a DSN, and refuse it with its own message', async () => {
    const faults = await open().findFaults({ mailerDsn: 'smtp//nowhere' }, undefined, 1)
    assert.deepEqual(Object.keys(faults), ['mailerDsn'])
    await assert.rejects(add({ mailerDsn: 'gopher://host' }), /scheme/)
    assert.deepEqual(await open().findFaults({ mailerDsn: dsn }, undefined, 1), {})
    assert.deepEqual(await open().findFaults({ mailerDsn: 5 }, undefined, 1), {})
  })

  test('warn of another transport of the same name', async () => {
    const name = uniqueName('Brand')
    const first = await add({ name, mailerDsn: 'smtps://mail.example.com' })
    assert.equal(first.warnings, undefined)
    const second = await add({
      name: ` ${name.toUpperCase()} `,
      mailerDsn: 'smtps://mail.example.com',
    })
    assert.match(String(second.warnings), new RegExp(`Transport ${first.id} has the same name`))
    const renamed = await edit(second.id, { name: uniqueName('Other') })
    assert.equal(renamed.warnings, undefined)
  })

  test('are encrypted again under a new data key', async () => {
    const { id } = await add()
    const { keyring } = shared.service.app
    const before = await open().getRow(id)
    await keyring.rotate()
    const keys = await open().reseal()
    const after = await open().getRow(id)
    assert.equal(keys.length, 1)
    assert.notEqual(after.mailer_dsn, before.mailer_dsn)
    assert.equal(await open().dsnOf(after), dsn)
  })
})
