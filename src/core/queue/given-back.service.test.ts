import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addTransport } from '../../../test/callers.ts'
import { submitMessage } from '../../../test/mautics.ts'
import { onMailyard } from '../../../test/on-each-database.ts'
import { submitQueued } from '../../../test/queue/submit-queued.ts'
import { useScriptedServer } from '../../../test/scripted-server.ts'

const config = { smtpMode: 'queue', queueMegabytesMax: 1, uncertain: 'retry' } as const

onMailyard('what a message has taken is given back', { config }, (shared) => {
  const server = useScriptedServer()
  let transport: string
  before(async () => {
    transport = (await addTransport(shared.service, { mailerDsn: server.dsn })).name
  })
  const timesTaken = (address: string) => server.taken.filter((each) => each === address).length
  /** Lets what was deferred be sent. */
  const wait = async () => {
    await shared.service.app.idle()
    shared.clock.advance(120_000)
    await shared.service.app.idle()
  }

  test('its bytes, where it is stored already', async () => {
    server.act = () => ({ code: 451, text: '4.3.0 later' })
    const to = 'large@rcpt.test'
    const head = `From: news@brand.test\nMessage-ID: <large@brand.test>\nX-Mailyard-Transport: ${transport}`
    const text = `${head}\n\n${'Hello\n'.repeat(50_000)}`
    for (let time = 0; time < 5; time += 1) {
      const [reply] = await submitMessage(shared.service, undefined, { to, text, mode: 'queue' })
      assert.equal(reply, '250 2.0.0')
    }
    server.act = () => undefined
    await wait()
    assert.equal(timesTaken(to), 1)
  })

  test('the key of one that may have arrived, so that it is sent again', async () => {
    server.act = () => 'hang up'
    const to = await submitQueued(shared.service, { transport })
    await shared.service.app.idle()
    assert.equal(timesTaken(to), 0)
    server.act = () => undefined
    await wait()
    assert.equal(timesTaken(to), 1)
  })
})
