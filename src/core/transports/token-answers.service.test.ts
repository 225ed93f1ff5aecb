import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { addTransport } from '../../../test/callers.ts'
import { openMailServer } from '../../../test/mail-server.ts'
import { submitMessage } from '../../../test/mautics.ts'
import { onMailyard } from '../../../test/on-each-database.ts'
import { startTokenServer } from '../../libraries/mailer/testing/token-server.case.test.ts'

const tokens = await startTokenServer()
const server = await openMailServer()
after(() => Promise.all([tokens.close(), server.close()]))

onMailyard('a token server', { config: { outboundAllow: ['127.0.0.1'] } }, (shared) => {
  for (const length of [9_000, 50_000])
    test(`that answers with a refresh token of ${length} characters makes no message uncertain, and none of it is logged`, async () => {
      const { logged } = shared.service
      tokens.more = { refresh_token: '95'.repeat(length / 2) }
      const tokenUrl = encodeURIComponent(tokens.url)
      const mailerDsn = `smtp+oauth://C:S@127.0.0.1:${server.port}?tokenUrl=${tokenUrl}&refreshToken=first&mailbox=me%40a.test`
      const { id, name } = await addTransport(shared.service, { mailerDsn })
      const tested = await shared.ask(
        'POST',
        `/api/multipleTransports/send/test/${id}?transcript=1`,
        {
          to: 'jane@example.net',
        },
      )
      assert.equal(tested.status, 200, tested.text)
      assert.equal(tested.body.success, false)
      assert.match(tested.body.message, /"refresh_token" of more than 8 KB/)
      const text = `From: a@b.test\nX-Mailyard-Transport: ${name}\nMessage-ID: <${length}@b.test>\n\nHello\n`
      await submitMessage(shared.service, undefined, { to: 'jane@example.net', text })
      const { body } = await shared.ask('GET', `/api/deliveries?transportId=${id}`)
      const outcomes = body.deliveries.map(({ outcome }: { outcome: string }) => outcome)
      assert.deepEqual(outcomes, ['deferred'])
      const shown = [tested.text, JSON.stringify(body), ...logged].join('')
      assert.doesNotMatch(shown, /9595|OTk1|OTU5|U5NT|5OTU/)
      assert.doesNotMatch(logged.join(''), /SyntaxError|transport threw/)
    })
})
