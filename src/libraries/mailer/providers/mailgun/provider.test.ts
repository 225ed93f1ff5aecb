import assert from 'node:assert/strict'
import { testApiProvider } from '../../testing/api-provider.case.test.ts'
import { formParts, json } from '../../testing/api-server.case.test.ts'
import { sampleMessage } from '../../testing/sample-message.case.test.ts'

const refusal = (status: number, message: string) => json(status, { message })

testApiProvider({
  provider: 'mailgun',
  dsn: 'mailgun+api://K3Y-1:mg.example.com@HOST?region=eu',
  secrets: ['K3Y-1'],
  endpoints: {
    'mailgun://K:mg.example.com@default': 'https://api.mailgun.net',
    'mailgun+https://K:mg.example.com@default?region=eu': 'https://api.eu.mailgun.net',
    'mailgun+api://K:mg.example.com@default?region=us': 'https://api.mailgun.net',
    'mailgun+api://K:mg.example.com@api.example.net:8443': 'https://api.example.net:8443',
    'mautic+mailgun+api://:K@default:443?domain=mg.example.com&maxBatchLimit=500&region=eu':
      'https://api.eu.mailgun.net',
  },
  incomplete: {
    'mailgun+api://K@default': /sending domain in the password part/,
    'mailgun+api://default': /API key in the user part/,
    'mailgun+api://K:D@default?region=evil.example.com/': /region/,
    'mautic+mailgun+api://:K@default': /option domain/,
    'mailgun+api://K:..%2Fdomains@default': /not a valid domain name/,
    'mautic+mailgun+api://:K@default?domain=..': /not a valid domain name/,
  },
  checkRequest(request) {
    assert.equal(`${request.method} ${request.path}`, 'POST /v3/mg.example.com/messages.mime')
    assert.equal(
      request.headers.authorization,
      `Basic ${Buffer.from('api:K3Y-1').toString('base64')}`,
    )
    assert.deepEqual(formParts(request), [
      { head: 'name="to"', value: 'jane@example.net' },
      { head: 'name="to"', value: 'carl@example.net' },
      { head: 'name="to"', value: 'hidden@example.net' },
      { head: 'name="o:tag"', value: 'welcome' },
      { head: 'name="v:order"', value: '42' },
      {
        head: 'name="message"; filename="message.mime"\r\nContent-Type: message/rfc822',
        value: Buffer.from(sampleMessage.raw).toString(),
      },
    ])
  },
  // https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages/post-v3--domain-name--messages-mime
  success: json(200, {
    id: '<20260131155435.1.C0FFEE@mg.example.com>',
    message: 'Queued. Thank you.',
  }),
  messageId: '<20260131155435.1.C0FFEE@mg.example.com>',
  // https://documentation.mailgun.com/docs/mailgun/quickstart-guide/responses
  refusals: {
    credentials_refused: [
      { status: 401, body: 'Forbidden' },
      refusal(404, 'Domain not found: mg.example.com'),
      refusal(
        403,
        'Domain mg.example.com is not allowed to send: The domain is unverified and requires DNS configuration. Log in to your control panel to view required DNS records.',
      ),
    ],
    recipient_refused: [
      refusal(
        403,
        'Domain sandbox1.mailgun.org is not allowed to send: Sandbox subdomains are for test purposes only. Please add your own domain or add the address to authorized recipients in Account Settings.',
      ),
      refusal(400, 'to parameter is not a valid address. please check documentation'),
    ],
    quota_exceeded: [
      refusal(403, 'Domain mg.example.com is not allowed to send: Hourly limit exceeded'),
    ],
    sender_refused: [
      refusal(400, 'from parameter is not a valid address. please check documentation'),
    ],
    message_refused: [
      refusal(
        400,
        'Send options (parameters starting with o:, h:, or v:) are limited to 16 kB total',
      ),
    ],
    too_large: [refusal(413, 'Request Entity Too Large')],
  },
  refusal: (text) => refusal(400, text),
})
