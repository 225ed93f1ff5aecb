import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { createLoginLimits } from './login-limits.ts'

onEachDatabase('log-in limits', (shared) => {
  const open = () => createLoginLimits(shared.yard.app.storage)
  const refused = { kind: 'rate_limited' }
  let count = 0
  const newAccount = () => `user ${++count}`
  /** Networks that no other test has failed from. */
  const newNetwork = () => `2001:db8:${(++count).toString(16)}::`

  test('one network that guesses has to wait, wherever in its /64 it is; others need not', async () => {
    const limits = open()
    const account = newAccount()
    const network = newNetwork()
    for (let host = 1; host <= 10; host++) {
      await limits.admit({ address: `${network}${host}`, account })
      await limits.fail({ address: `${network}${host}`, account })
    }
    await assert.rejects(limits.check({ address: `${network}ffff:1`, account }), refused)
    await assert.rejects(limits.admit({ address: `${network}ffff:1`, account }), refused)
    await limits.admit({ address: '2001:db9::1', account })
  })

  test('an IPv4 address is the same when it is written as IPv6', async () => {
    const limits = open()
    const account = newAccount()
    for (let tries = 0; tries < 10; tries++) await limits.fail({ address: '192.0.2.7', account })
    await assert.rejects(limits.check({ address: '::ffff:192.0.2.7', account }), refused)
  })

  test('a right password forgets the failures before it', async () => {
    const limits = open()
    const attempt = { address: `${newNetwork()}1`, account: newAccount() }
    for (let tries = 0; tries < 9; tries++) await limits.fail(attempt)
    await limits.succeed(attempt)
    for (let tries = 0; tries < 9; tries++) await limits.fail(attempt)
    await limits.check(attempt)
  })

  test('many networks that guess one account are slowed down; its owner is not', async () => {
    const limits = open()
    const account = newAccount()
    const owner = { address: `${newNetwork()}1`, account }
    await limits.succeed(owner)
    for (let tries = 0; tries < 100; tries++)
      await limits.fail({ address: `10.${count}.0.${tries}`, account })
    const stranger = { address: `${newNetwork()}1`, account }
    // One of them is let through now and then, so that nobody is locked out.
    await limits.admit(stranger)
    await assert.rejects(limits.admit(stranger), (error: { retryAfterSeconds?: number }) => {
      return (error.retryAfterSeconds ?? 99) <= 3
    })
    for (let tries = 0; tries < 3; tries++) await limits.admit(owner)
    await limits.admit({ ...stranger, account: newAccount() })
  })

  test('processes share the counts where several may run', async (t) => {
    if (shared.yard.app.storage.kind === 'sqlite') return t.skip('one process serves a SQLite file')
    const [here, there] = [open(), open()]
    const attempt = { address: `${newNetwork()}1`, account: newAccount() }
    for (let tries = 0; tries < 10; tries++) await (tries % 2 ? here : there).fail(attempt)
    for (const limits of [here, there]) await assert.rejects(limits.check(attempt), refused)
  })
})
