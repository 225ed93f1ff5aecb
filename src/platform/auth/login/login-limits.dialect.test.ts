import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../../test/on-each-database.ts'
import { createLoginLimits } from './login-limits.ts'

onEachDatabase('log-in limits', (shared) => {
  const open = () => createLoginLimits(shared.service.app.storage)
  const refused = { kind: 'rate_limited' }
  let count = 0
  const newAccount = () => `user ${++count}`
  /** Networks that no other test has failed from. */
  const newNetwork = () => `2001:db8:${(++count).toString(16)}::`

  test('a network that guesses is throttled for its whole /64; other networks are not', async () => {
    const limits = open()
    const account = newAccount()
    const network = newNetwork()
    for (let host = 1; host <= 10; host++) {
      await limits.accept({ address: `${network}${host}`, account })
      await limits.fail({ address: `${network}${host}`, account })
    }
    await assert.rejects(limits.check({ address: `${network}ffff:1`, account }), refused)
    await assert.rejects(limits.accept({ address: `${network}ffff:1`, account }), refused)
    await limits.accept({ address: '2001:db9::1', account })
  })

  test('an IPv4 address is the same when it is written as IPv6', async () => {
    const limits = open()
    const account = newAccount()
    for (let tries = 0; tries < 10; tries++) await limits.fail({ address: '192.0.2.7', account })
    await assert.rejects(limits.check({ address: '::ffff:192.0.2.7', account }), refused)
  })

  test('a successful log-in resets the failures before it', async () => {
    const limits = open()
    const attempt = { address: `${newNetwork()}1`, account: newAccount() }
    for (let tries = 0; tries < 9; tries++) await limits.fail(attempt)
    await limits.succeed(attempt)
    for (let tries = 0; tries < 9; tries++) await limits.fail(attempt)
    await limits.check(attempt)
  })

  test('many networks that guess one account are throttled; the network of its owner is not', async () => {
    const limits = open()
    const account = newAccount()
    const owner = { address: `${newNetwork()}1`, account }
    await limits.succeed(owner)
    for (let tries = 0; tries < 100; tries++)
      await limits.fail({ address: `10.${count}.0.${tries}`, account })
    const stranger = { address: `${newNetwork()}1`, account }
    // One attempt in three seconds is checked, so that no account is locked out.
    await limits.accept(stranger)
    await assert.rejects(limits.accept(stranger), (error: { retryAfterSeconds?: number }) => {
      return (error.retryAfterSeconds ?? 99) <= 3
    })
    for (let tries = 0; tries < 3; tries++) await limits.accept(owner)
    await limits.accept({ ...stranger, account: newAccount() })
  })

  test('a clock that was set back does not prolong a block', async (t) => {
    const limits = open()
    const startedAt = Date.now()
    t.mock.timers.enable({ apis: ['Date'], now: startedAt + 24 * 3_600_000 })
    const blocked = { address: `${newNetwork()}1`, account: newAccount() }
    for (let tries = 0; tries < 10; tries++) await limits.fail(blocked)
    const paced = { address: `${newNetwork()}1`, account: newAccount() }
    for (let tries = 0; tries < 100; tries++)
      await limits.fail({ address: `10.${count}.1.${tries}`, account: paced.account })
    await limits.accept(paced)
    t.mock.timers.setTime(startedAt)
    const waits = (seconds: number) => (error: { retryAfterSeconds?: number }) =>
      (error.retryAfterSeconds ?? seconds + 1) <= seconds
    await assert.rejects(limits.check(blocked), waits(60))
    await assert.rejects(limits.accept(paced), waits(3))
    t.mock.timers.setTime(startedAt + 61_000)
    await limits.check(blocked)
    await limits.accept(paced)
  })

  test('processes on one PostgreSQL share the counters', async (t) => {
    if (!shared.service.app.storage.isShared) return t.skip('one process serves a SQLite file')
    const [here, there] = [open(), open()]
    const attempt = { address: `${newNetwork()}1`, account: newAccount() }
    for (let tries = 0; tries < 10; tries++) await (tries % 2 ? here : there).fail(attempt)
    for (const limits of [here, there]) await assert.rejects(limits.check(attempt), refused)
  })
})
