import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { testDatabases } from '../../../../test/databases.ts'
import { clockAt } from '../../../../test/movable-clock.ts'
import { useStorage } from '../../../../test/use-storage.ts'
import { migrate } from '../migrate.ts'
import type { Storage } from '../storage.ts'
import { type Keyring, openKeyring } from './keyring.ts'
import { keyringMigrations } from './table.ts'

const secretKey = 'a secret key of thirty-two characters or more'

for (const { name, create } of testDatabases) {
  describe(`keyring on ${name}`, () => {
    let storage: Storage
    let now = 1_700_000_000_000
    const clock = clockAt(() => now)

    useStorage(create, async (opened) => {
      storage = opened.storage
      await migrate(storage, [keyringMigrations])
    })

    const sealText = (keyring: Keyring, text: string) =>
      storage.transaction(async (tx) => (await keyring.sealer(tx)).seal('dsn', text))
    const openText = (keyring: Keyring, sealed: string) =>
      keyring.opening((open) => open('dsn', sealed))

    test('another process opens what one sealed, also under a newer key', async () => {
      const one = await openKeyring({ storage, secretKey, clock })
      const other = await openKeyring({ storage, secretKey, clock })
      const before = await sealText(one, 'smtp://a:b@c')
      assert.equal(await openText(other, before), 'smtp://a:b@c')
      const keyId = await one.rotate()
      const since = await sealText(other, 'smtp://d:e@f')
      assert.equal(since.startsWith(`${keyId}.`), true)
      assert.equal(await openText(one, since), 'smtp://d:e@f')
      assert.equal(await openText(other, before), 'smtp://a:b@c')
    })

    test('another purpose does not open a text, even one that was just opened', async () => {
      const keyring = await openKeyring({ storage, secretKey, clock })
      const sealed = await sealText(keyring, 'x')
      assert.equal(await openText(keyring, sealed), 'x')
      await assert.rejects(async () => keyring.opening((open) => open('other', sealed)))
    })

    test('processes that start together on an empty database agree on one key', async () => {
      await storage.tables<{ data_keys: object }>().deleteFrom('data_keys').execute()
      const keyrings = await Promise.all(
        Array.from({ length: 8 }, () => openKeyring({ storage, secretKey, clock })),
      )
      const texts = await Promise.all(keyrings.map((keyring) => sealText(keyring, 'x')))
      assert.equal(new Set(texts.map((text) => text.split('.')[0])).size, 1)
    })

    test('a key is deleted only when nothing uses it and no transaction can be sealing with it', async () => {
      const keyring = await openKeyring({ storage, secretKey, clock })
      const old = (await sealText(keyring, 'x')).split('.')[0] ?? ''
      await keyring.rotate()
      assert.equal(await keyring.prune([]), 0)
      now += 3_600_001
      assert.equal(await keyring.prune([old]), 0)
      assert.equal(await keyring.prune([]), 1)
    })

    test('under another secret key the data stays readable, and the old key no longer opens', async () => {
      const keyring = await openKeyring({ storage, secretKey, clock })
      const sealed = await sealText(keyring, 'x')
      await keyring.rewrap(() => `new ${secretKey}`)
      assert.equal(await openText(keyring, sealed), 'x')
      const renewed = await openKeyring({ storage, secretKey: `new ${secretKey}`, clock })
      assert.equal(await openText(renewed, sealed), 'x')
      await assert.rejects(openKeyring({ storage, secretKey, clock }), { code: 'wrong_secret_key' })
      await renewed.rewrap(() => secretKey)
    })

    test('of two concurrent changes of the secret key one is refused, before its new key is staged', async () => {
      const keyrings = await Promise.all(
        ['one', 'other'].map(async (name) => ({
          name,
          keyring: await openKeyring({ storage, secretKey, clock }),
        })),
      )
      const staged: string[] = []
      const stage = (name: string) => {
        staged.push(`${name} ${secretKey}`)
        return `${name} ${secretKey}`
      }
      const changes = keyrings.map(({ name, keyring }) => keyring.rewrap(() => stage(name)))
      const ends = await Promise.allSettled(changes)
      const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason.code] : []))
      assert.deepEqual(refused, ['wrong_secret_key'])
      const [last = '', ...more] = staged
      assert.deepEqual(more, [])
      const renewed = await openKeyring({ storage, secretKey: last, clock })
      await renewed.rewrap(() => secretKey)
    })

    test('a process with the old secret key creates no data key under it', async () => {
      const late = await openKeyring({ storage, secretKey, clock })
      const keyring = await openKeyring({ storage, secretKey, clock })
      await keyring.rewrap(() => `new ${secretKey}`)
      await assert.rejects(late.rotate(), { code: 'wrong_secret_key' })
      const renewed = await openKeyring({ storage, secretKey: `new ${secretKey}`, clock })
      await renewed.rewrap(() => secretKey)
    })
  })
}
