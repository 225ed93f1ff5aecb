import assert from 'node:assert/strict'
import { testApiProvider } from '../../testing/api-provider.case.test.ts'
import { formParts, json } from '../../testing/api-server.case.test.ts'
import { sampleMessage } from '../../testing/sample-message.case.test.ts'

const refusal = (status: number, message: string) => json(status, { message })

testApiProvider({
  provider: 'omnivery',
  dsn: 'omnivery+api://K3Y-1@HOST?domain=mg.example.com',
  secrets: ['K3Y-1'],
  endpoints: {
    'omnivery+api://K@default?domain=mg.example.com': 'https://mg-api.omnivery.net',
    'omnivery+api://K@default?domain=mg.example.com&region=eu': 'https://eu.mg-api.omnivery.net',
    'mautic+omnivery+api://:K@default?domain=mg.example.com&maxBatchLimit=5000':
      'https://mg-api.omnivery.net',
    'mautic+omnivery+api://:K@us.mg-api.omnivery.net?domain=mg.example.com':
      'https://us.mg-api.omnivery.net',
  },
  incomplete: {
    'omnivery+api://default?domain=mg.example.com': /API key/,
    'mautic+omnivery+api://:K@default': /option domain/,
    'omnivery+api://K@default?domain=d&region=evil.example.com%2F': /region/,
  },
  // https://docs.omnivery.com/api-ref/mailgun-api
  checkRequest(request) {
    assert.equal(`${request.method} ${request.path}`, 'POST /v3/mg.example.com/messages.mime')
    assert.equal(
      request.headers.authorization,
      `Basic ${Buffer.from('api:K3Y-1').toString('base64')}`,
    )
    const parts = formParts(request)
    const values = parts.filter(({ head }) => head === 'name="to"').map(({ value }) => value)
    assert.deepEqual(values, sampleMessage.envelope.to)
    assert.equal(parts.at(-1)?.value, Buffer.from(sampleMessage.raw).toString())
  },
  success: json(200, { id: '<1@mg.example.com>', message: 'Queued. Thank you.' }),
  messageId: '<1@mg.example.com>',
  refusals: {
    credentials_refused: [
      { status: 401, body: 'Forbidden' },
      refusal(404, 'Domain not found: mg.example.com'),
    ],
    recipient_refused: [
      refusal(400, "'to' parameter is not a valid address. please check documentation"),
    ],
  },
  refusal: (text) => refusal(400, text),
})
