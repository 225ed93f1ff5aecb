import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createMovableClock } from '../../../../test/movable-clock.ts'
import { type Dialogue, openDialogue } from '../../../../test/smtp-dialogue.ts'
import { until } from '../../../../test/until.ts'
import { createReply } from '../../../core/delivery/index.ts'
import { ByteBudget } from '../../../kit/byte-budget.ts'
import { createTls, openTestServer, timeouts } from './open-test-server.case.test.ts'

const strangers = { trust: () => undefined }
const mail = { to: ['c@d.test'], raw: 'x' }

async function logIn(client: Dialogue): Promise<void> {
  await client.say('EHLO client.test')
  assert.match(await client.logIn('ada', 'right'), /^235 /)
}

test('many idle connections prevent no log-in, and close no authenticated connection', async () => {
  const { server, port } = await openTestServer({
    ...strangers,
    connectionsMax: 20,
    unauthenticatedMax: 5,
  })
  const early = await openDialogue(port)
  await logIn(early)
  const idle: Dialogue[] = []
  for (let count = 0; count < 30; count += 1) idle.push(await openDialogue(port))
  const late = await openDialogue(port)
  await logIn(late)
  for (const client of [early, late]) assert.match(await client.hand(mail), /^250 /)
  const [first] = idle
  assert.match((await first?.read()) ?? '', /^421 4\.3\.2 /)
  await first?.ended
  // The five newest, one of which was evicted for the client that logged in.
  assert.equal(server.connections, 6)
  assert.match((await idle.at(-1)?.say('NOOP')) ?? '', /^250 /)
  for (const client of [early, late, ...idle]) client.destroy()
})

test('connections of a trusted network do not count as unauthenticated', async () => {
  const { port } = await openTestServer({ unauthenticatedMax: 1 })
  const clients = [await openDialogue(port), await openDialogue(port), await openDialogue(port)]
  for (const client of clients) {
    await client.say('EHLO c')
    assert.match(await client.hand(mail), /^250 /)
    client.end()
  }
})

test('clients that stop during a TLS handshake are evicted', async () => {
  const { server, port } = await openTestServer({
    ...strangers,
    ...createTls(),
    securePort: 0,
    unauthenticatedMax: 2,
  })
  const plain = await openDialogue(port)
  assert.match(await plain.say('STARTTLS'), /^220 /)
  const silent = connect(server.securePort ?? 0, '127.0.0.1')
  silent.on('error', () => undefined).resume()
  const silentClosed = new Promise((resolve) => silent.once('close', resolve))
  await until(() => server.connections === 2, 'both are connected')
  const clients = [
    await openDialogue(server.securePort ?? 0, { isSecure: true }),
    await openDialogue(server.securePort ?? 0, { isSecure: true }),
  ]
  await plain.ended
  await silentClosed
  for (const client of clients) {
    await logIn(client)
    assert.match(await client.hand(mail), /^250 /)
    client.end()
  }
})

test('a client that is evicted while its password is checked gets one reply', async () => {
  const { promise: checked, resolve: check } = Promise.withResolvers<void>()
  const { server, port } = await openTestServer({
    ...strangers,
    unauthenticatedMax: 1,
    rules: {
      logIn: async () => {
        await checked
        return { findCaller: async () => undefined }
      },
    },
  })
  const client = await openDialogue(port)
  await client.say('EHLO c')
  const answer = client.logIn('ada', 'right')
  await setTimeout(50)
  const other = await openDialogue(port)
  assert.match(await answer, /^421 4\.3\.2 /)
  check()
  await client.ended
  assert.equal(server.connections, 1)
  assert.match(await other.say('EHLO c'), /^250/)
  other.end()
  client.end()
})

test('an authenticated client has only the time limit of commands', async () => {
  const clock = createMovableClock()
  const short = { ...timeouts, loginMs: 10_000 }
  const { port } = await openTestServer({ ...strangers, clock, timeouts: short })
  const client = await openDialogue(port)
  await logIn(client)
  clock.advance(50_000)
  await setTimeout(50)
  assert.match(await client.hand(mail), /^250 /)
  client.end()
})

test('a message without memory for its copies releases its own', async () => {
  const { dial } = await openTestServer({
    memory: new ByteBudget(100_000),
    rules: {
      submit: async ({ reserve }) => {
        const release = reserve(40_000)
        if (release === undefined) return createReply(452, '4.3.1', 'No memory')
        assert.equal(reserve(40_000), undefined)
        release()
        return createReply(250, '2.0.0', 'Taken')
      },
    },
  })
  const client = await dial()
  for (let count = 0; count < 5; count += 1) assert.match(await client.hand(mail), /^250 /)
  const large = { ...mail, raw: 'x'.repeat(30_000) }
  assert.match(await client.hand(large), /^452 /)
  assert.match(await client.hand(mail), /^250 /)
  client.end()
})
