import assert from 'node:assert/strict'
import { isAscii } from 'node:buffer'
import { test } from 'node:test'
import { startPostfix } from '../../../../bench/relay/postfix.ts'
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
  test(`the ${algorithm} signatures are valid after Postfix relayed the messages to a server ${offer}`, async (t) => {
    const server = await startScriptedServer({ extensions: [...extensions] })
    const postfix = await startPostfix(server.port)
    if (postfix === undefined) {
      await server.close()
      t.skip('Postfix is not installed, or this user may not start it.')
      return
    }
    // For a server without 8BITMIME, Postfix converts what is labelled as 8-bit, which breaks signatures.
    const messages = dkimMessages().filter(
      ({ raw }) => extensions.length > 0 || (isAscii(raw) && !/8bit|binary/i.test(raw.toString())),
    )
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
    let unsigned = 0
    for (const [index, { name }] of messages.entries()) {
      const data = received.get(`message${index}@example.net`)
      const [result, ...others] = data === undefined ? ['lost'] : await verify(receivedBytes(data))
      // A message that servers would change is not signed.
      if (result?.startsWith('none') === true) unsigned += 1
      else if (!/^pass /.test(result ?? '') || others.length > 0)
        failures.push(`${name}: ${result}`)
    }
    assert.deepEqual(failures, [])
    assert.ok(messages.length - unsigned >= 50, `${messages.length - unsigned} were signed`)
  })
