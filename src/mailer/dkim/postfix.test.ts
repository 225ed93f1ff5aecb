import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startPostfix } from '../../../bench/relay/postfix.ts'
import { createMailer } from '../mailer.ts'
import {
  dkimMessages,
  keysOfAll,
  receivedBytes,
  verify,
} from '../testing/dkim-messages.case.test.ts'
import { startScriptedServer } from '../testing/smtp-server.case.test.ts'

for (const [algorithm, offer, extensions] of [
  ['ed25519', 'with 8BITMIME', ['8BITMIME']],
  ['rsa', 'without 8BITMIME', []],
] as const)
  test(`all ${algorithm} signatures are valid after Postfix relayed the messages to a server ${offer}`, async (t) => {
    const server = await startScriptedServer({ extensions: [...extensions] })
    const postfix = await startPostfix(server.port)
    if (postfix === undefined) {
      await server.close()
      t.skip('Postfix is not installed, or this user may not start it.')
      return
    }
    const messages = dkimMessages()
    const mailer = createMailer({ dkim: keysOfAll(algorithm) })
    const transport = mailer.open(`smtp://localhost:${postfix.port}`)
    for (const [index, { raw }] of messages.entries()) {
      // Postfix delivers in any order.
      const envelope = { from: 'shop@example.com', to: [`message${index}@example.net`] }
      const { outcome, fault } = await transport.send({ envelope, raw })
      assert.equal(outcome, 'accepted', fault?.message)
    }
    await transport.close()
    await postfix.drain()
    await postfix.stop()
    await server.close()
    const received = new Map(server.received.map(({ to, data }) => [to.join(), data]))
    const failures: string[] = []
    for (const [index, { name }] of messages.entries()) {
      const data = received.get(`message${index}@example.net`)
      const [result] = data === undefined ? ['lost'] : await verify(receivedBytes(data))
      if (!/^pass /.test(result ?? '')) failures.push(`${name}: ${result}`)
    }
    assert.deepEqual(failures, [])
  })
