import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestServer } from './open-test-server.case.test.ts'

/** Sends MAIL with each of these parameters, in a transaction of its own; returns the replies. */
async function mailReplies(parameters: readonly string[], rules = {}) {
  const { dial } = await openTestServer({ rules })
  const client = await dial()
  const replies: string[] = []
  for (const parameter of parameters) {
    replies.push((await client.say(`MAIL FROM:<a@b.test> ${parameter}`)).slice(0, 9))
    await client.say('RSET')
  }
  client.end()
  return replies
}

/** Submits a message with these parameters; returns what the server got. */
async function submitted(mail: string, recipient = '') {
  const { dial, received } = await openTestServer()
  const client = await dial()
  assert.match(await client.say(`MAIL FROM:<a@b.test> ${mail}`), /^250 /, mail)
  assert.match(await client.say(`RCPT TO:<c@d.test> ${recipient}`), /^250 /, recipient)
  await client.say('DATA')
  client.send('x\r\n.\r\n')
  await client.read()
  client.end()
  return received[0]
}

test('a malformed ENVID, or one that hides a control character, is refused', async () => {
  const bad = ['ENVID=', 'ENVID=a+b', 'ENVID=a=b', 'ENVID=a+0D+0AX:+20y', 'ENVID=a+00']
  bad.push(`ENVID=${'x'.repeat(101)}`, 'ENVID=a ENVID=b')
  for (const [index, reply] of (await mailReplies(bad)).entries())
    assert.match(reply, /^501 5\.5\.4/, bad[index])
  const good = ['ENVID=a+2Bb', `ENVID=${'x'.repeat(100)}`, 'RET=FULL', 'ret=Hdrs envid=x']
  for (const reply of await mailReplies(good)) assert.match(reply, /^250 /)
})

test('a malformed NOTIFY or ORCPT is refused', async () => {
  const { dial } = await openTestServer()
  const client = await dial()
  await client.say('MAIL FROM:<a@b.test>')
  for (const parameter of [
    'NOTIFY=',
    'NOTIFY=NEVER,FAILURE',
    'NOTIFY=SUCCESS,',
    'ORCPT=c@d.test',
    'ORCPT=rfc822;',
    'ORCPT=rfc822;a+b@d.test',
    'ORCPT=rfc822;a+0D+0AAction:failed',
    'ORCPT=rfc822;jörg@d.test',
    `ORCPT=rfc822;${'x'.repeat(500)}`,
    'ORCPT=rfc822;a@d.test ORCPT=rfc822;b@d.test',
  ])
    assert.match(await client.say(`RCPT TO:<c@d.test> ${parameter}`), /^501 5\.5\.4/, parameter)
  assert.match(await client.say('RCPT TO:<c@d.test> NOTIFY=NEVER'), /^250 /)
  client.end()
})

test('an internationalized ORCPT is passed on in its 7-bit form', async () => {
  const submission = await submitted('SMTPUTF8', 'ORCPT=utf-8;jörg@münchen.test')
  const { originalRecipient } = submission?.notification?.recipients?.['c@d.test'] ?? {}
  assert.equal(originalRecipient, 'utf-8;j\\x{F6}rg@m\\x{FC}nchen.test')
})

test('BY sets the time and what follows after it', async () => {
  for (const [parameter, deliverBy] of [
    ['BY=120;R', { seconds: 120, mode: 'return', isTraced: false }],
    ['by=+999999999;rt', { seconds: 999_999_999, mode: 'return', isTraced: true }],
    ['BY=-1;N', { seconds: -1, mode: 'notify', isTraced: false }],
    ['BY=0;NT', { seconds: 0, mode: 'notify', isTraced: true }],
    ['RET=FULL', undefined],
  ] as const)
    assert.deepEqual((await submitted(parameter))?.deliverBy, deliverBy, parameter)
})

test('a malformed BY is refused, and so is a return after a time that has passed', async () => {
  const bad = ['BY=', 'BY=120', 'BY=120;', 'BY=120;X', 'BY=120;RX', 'BY=1.5;R', 'BY=;R']
  bad.push('BY=1234567890;R', 'BY=120;RN', 'BY=0;R', 'BY=-5;R', 'BY=+0;RT')
  for (const [index, reply] of (await mailReplies(bad)).entries())
    assert.match(reply, /^501 5\.5\.4/, bad[index])
})

test('DELIVERBY is offered and accepted only if there is a queue', async () => {
  for (const hasQueue of [true, false]) {
    const { dial } = await openTestServer({ rules: { hasQueue } })
    const client = await dial()
    const offer = await client.say('EHLO c')
    assert.equal(/^250[- ]DELIVERBY$/m.test(offer), hasQueue)
    assert.match(offer, /^250[- ]DSN$/m)
    client.end()
  }
  assert.deepEqual(await mailReplies(['BY=120;R'], { hasQueue: false }), ['555 5.5.4'])
})
