import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { ConnectionPermit, SharedConnections } from '../delivery/shared-connections.ts'
import type { Transport } from '../delivery/transport.ts'
import { createMailer } from '../mailer.ts'
import { shortMessage } from '../testing/sample-message.case.test.ts'
import { type ScriptedServer, startScriptedServer } from '../testing/smtp-server.case.test.ts'

/** A limit of one connection. */
function createOneConnection(): SharedConnections & { isFree(): boolean } {
  let isTaken = false
  const waiting = new Set<() => void>()
  const take = (): ConnectionPermit => {
    isTaken = true
    return {
      isLimited: true,
      isValid: () => true,
      countWaiting: () => waiting.size,
      isOverShare: () => false,
      release() {
        isTaken = false
        for (const next of waiting) return next()
      },
    }
  }
  return {
    isFree: () => !isTaken,
    acquire(signal) {
      if (!isTaken) return Promise.resolve(take())
      return new Promise((resolve, reject) => {
        const next = () => {
          waiting.delete(next)
          resolve(take())
        }
        waiting.add(next)
        signal.addEventListener('abort', () => {
          waiting.delete(next)
          reject(new Error('It was cancelled.'))
        })
      })
    },
  }
}

describe('the one connection that two transports share', () => {
  let server: ScriptedServer
  let connections: ReturnType<typeof createOneConnection>
  let transports: Transport[]
  /** Whether the server has closed the connection before, at each new one. */
  let closedBefore: boolean[]
  before(async () => {
    let isClosed = true
    server = await startScriptedServer({
      isHalfOpen: true,
      script: {
        connect() {
          closedBefore.push(isClosed)
          isClosed = false
          return undefined
        },
        quit() {
          setTimeout(() => {
            isClosed = true
            void server.dropConnections()
          }, 100)
          return '221 Bye'
        },
      },
    })
  })
  after(() => server.close())
  beforeEach(() => {
    closedBefore = []
    connections = createOneConnection()
    const mailer = createMailer()
    const dsn = `smtp://127.0.0.1:${server.port}`
    transports = [1, 2].map(() => mailer.open(dsn, { connections }))
  })
  const send = async (transport: Transport | undefined, signal?: AbortSignal) =>
    (await transport?.send(shortMessage, { signal }))?.fault?.code

  test('counts until the server has closed it, and then serves the other transport', async () => {
    const [first, second] = transports
    for (const transport of [first, second, first]) assert.equal(await send(transport), undefined)
    for (const transport of transports) await transport.close()
    assert.deepEqual(closedBefore, [true, true, true])
    assert.ok(connections.isFree(), 'a closed transport has no connection')
  })

  test('is used for several messages of one transport', async () => {
    const codes = await Promise.all(Array.from({ length: 5 }, () => send(transports[0])))
    for (const transport of transports) await transport.close()
    assert.deepEqual(codes, new Array(5).fill(undefined))
    assert.equal(closedBefore.length, 1)
  })

  test('serves the other transport in its turn, although the first one always has messages', async () => {
    const [first, second] = transports
    let isServed = false
    const sendOn = async () => {
      while (!isServed) assert.equal(await send(first), undefined)
    }
    const busy = [sendOn(), sendOn(), sendOn()]
    assert.equal(await send(second), undefined)
    isServed = true
    await Promise.all(busy)
    for (const transport of transports) await transport.close()
    assert.ok(closedBefore.every((isClosed) => isClosed))
  })

  test('is not waited for by a message that is cancelled', async () => {
    const [first, second] = transports
    assert.equal(await send(first), undefined)
    assert.equal(await send(second, AbortSignal.timeout(1)), 'cancelled')
    for (const transport of transports) await transport.close()
    assert.ok(connections.isFree())
  })

  for (const dsn of ['smtp', 'postmark+api'])
    test(`is not waited for by a message whose transport is closed (${dsn}), so that it can be sent through the changed one`, {
      timeout: 60_000,
    }, async () => {
      const permit = await connections.acquire(new AbortController().signal)
      const address = dsn === 'smtp' ? `127.0.0.1:${server.port}` : 'key@default'
      const transport = createMailer().open(`${dsn}://${address}`, { connections })
      const sent = send(transport)
      while (permit.countWaiting() === 0) await setImmediate()
      await transport.close()
      assert.equal(await sent, 'transport_closed')
      assert.equal(permit.countWaiting(), 0)
      permit.release()
    })
})
