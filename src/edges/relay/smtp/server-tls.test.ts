import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { after, test } from 'node:test'
import { connect } from 'node:tls'
import { clockAt } from '../../../../test/movable-clock.ts'
import { createLog } from '../../../kit/log.ts'
import { createSelfSigned } from '../../../libraries/mailer/testing/certificates.case.test.ts'
import { openServerTls, type ServerCertificate, secureSocket } from './server-tls.ts'

const issue = (name: string): ServerCertificate => {
  const { cert: certificate, key } = createSelfSigned({ names: [name] })
  return { certificate, key }
}
const servers: Server[] = []
after(() => {
  for (const server of servers) server.close()
})

/** A server whose clock and certificate files can be changed. */
async function openTls() {
  const logged: { msg: string }[] = []
  const state = { now: 0, read: (): ServerCertificate => first }
  const first = issue('first.test')
  const write = (line: string) => void logged.push(JSON.parse(line) as { msg: string })
  const secureContext = openServerTls({
    first,
    read: () => state.read(),
    clock: clockAt(() => state.now),
    log: createLog('info', { write }),
  })
  const server = createServer((socket) => {
    void secureSocket(socket, secureContext()).then((secured) => secured.end('220 \r\n'))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  servers.push(server)
  const { port } = server.address() as AddressInfo
  /** The name on the certificate that a client is shown. */
  const shown = async () => {
    const client = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
    await once(client, 'data')
    const { subject } = client.getPeerCertificate()
    client.destroy()
    return subject.CN
  }
  return { state, shown, logged }
}

test('a renewed certificate is used within a minute, without a restart', async () => {
  const { state, shown, logged } = await openTls()
  assert.equal(await shown(), 'first.test')
  const second = issue('second.test')
  state.read = () => second
  state.now += 59_000
  assert.equal(await shown(), 'first.test')
  state.now += 1_000
  assert.equal(await shown(), 'second.test')
  state.now += 60_000
  assert.equal(await shown(), 'second.test')
  const messages = logged.map(({ msg }) => msg)
  assert.deepEqual(messages, ['SMTP certificate renewed'])
})

test('an invalid renewed certificate is logged once, and the old one stays in use', async () => {
  const { state, shown, logged } = await openTls()
  const [one, other] = [issue('second.test'), issue('other.test')]
  const faults: (() => ServerCertificate)[] = [
    // Only one of the two files was written.
    () => ({ certificate: one.certificate, key: other.key }),
    () => ({ certificate: undefined, key: undefined }),
    () => {
      throw new Error('ENOENT: no such file')
    },
  ]
  for (const read of faults) {
    state.read = read
    for (let minute = 0; minute < 3; minute += 1) {
      state.now += 60_000
      assert.equal(await shown(), 'first.test')
    }
  }
  assert.equal(logged.length, faults.length)
  state.read = () => one
  state.now += 60_000
  assert.equal(await shown(), 'second.test')
})

test('an invalid first certificate is refused with the names of its settings', () => {
  const { certificate } = issue('one.test')
  const open = (first: ServerCertificate) => () =>
    openServerTls({ first, read: () => first, clock: clockAt(0), log: createLog('silent') })
  assert.throws(open({ certificate, key: undefined }), /MAILYARD_SMTP_TLS_KEY/)
  assert.throws(open({ certificate, key: issue('two.test').key }), /does not work/)
})
