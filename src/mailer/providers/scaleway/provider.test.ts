import assert from 'node:assert/strict'
import { testApiProvider } from '../../testing/api-provider.case.test.ts'
import { sampleDocument, sampleImage } from '../../testing/sample-message.case.test.ts'

const refusal = (status: number, error: { type: string; message: string; details?: object[] }) => ({
  status,
  body: JSON.stringify(error),
})

testApiProvider({
  provider: 'scaleway',
  dsn: 'scaleway+api://PROJECT-1:S3CRET-1@HOST?region=nl-ams',
  secrets: ['S3CRET-1'],
  endpoints: {
    'scaleway+api://PROJECT:TOKEN@default?region=nl-ams': 'https://api.scaleway.com',
    'scaleway+api://PROJECT:TOKEN@default': 'https://api.scaleway.com',
  },
  incomplete: {
    'scaleway+api://default': /project's id/,
    'scaleway+api://PROJECT@default': /secret key/,
    'scaleway+api://P:T@default?region=..%2F..%2Faccount': /region/,
  },
  isRaw: false,
  checkRequest({ method, path, headers, body }) {
    assert.equal(`${method} ${path}`, 'POST /transactional-email/v1alpha1/regions/nl-ams/emails')
    assert.equal(headers['x-auth-token'], 'S3CRET-1')
    assert.deepEqual(JSON.parse(body), {
      project_id: 'PROJECT-1',
      from: { email: 'sender@example.com', name: 'Jürgen' },
      to: [{ email: 'jane@example.net', name: 'Doe, Jane' }],
      cc: [{ email: 'carl@example.net', name: 'Carl' }],
      bcc: [{ email: 'hidden@example.net' }],
      subject: 'Grüße from the test',
      text: 'Schöne Grüße\n',
      html: '<p>Schön <img src="cid:logo"></p>\n',
      attachments: [
        { name: 'logo.gif', type: 'image/gif', content: sampleImage.toString('base64') },
        { name: 'report.pdf', type: 'application/pdf', content: sampleDocument.toString('base64') },
      ],
      additional_headers: [
        { key: 'List-Unsubscribe', value: '<https://example.com/u?id=1>' },
        { key: 'X-Custom', value: 'kept' },
        { key: 'Reply-To', value: 'Support <support@example.com>' },
      ],
    })
  },
  // https://www.scaleway.com/en/developers/api/transactional-email/#path-emails-send-an-email
  success: {
    status: 200,
    body: JSON.stringify({
      emails: [
        {
          id: 'a1b2c3d4-0000-4000-8000-000000000000',
          message_id: '1b2c3d4e@example.com',
          status: 'new',
          mail_rcpt: 'jane@example.net',
        },
      ],
    }),
  },
  messageId: '1b2c3d4e@example.com',
  // https://www.scaleway.com/en/developers/api/#errors
  responses: [
    {
      name: 'a wrong key is a fault of the member',
      response: refusal(401, {
        type: 'denied_authentication',
        message: 'authentication is denied',
      }),
      outcome: 'refused',
      code: 'credentials_refused',
      scope: 'member',
    },
    {
      name: 'a spent quota comes with the status 403 and is a fault of the member',
      response: refusal(403, { type: 'quotas_exceeded', message: 'quota(s) exceeded' }),
      outcome: 'refused',
      code: 'quota_exceeded',
      scope: 'member',
      isPermanent: false,
    },
    {
      name: 'a key without the permission is a fault of the member',
      response: refusal(403, {
        type: 'permissions_denied',
        message: 'insufficient permissions',
        details: [{ action: 'write', resource: 'email' }],
      }),
      outcome: 'refused',
      code: 'credentials_refused',
      scope: 'member',
    },
    {
      name: 'an unchecked domain is a fault of the sender',
      response: refusal(412, { type: 'precondition_failed', message: 'domain must be checked' }),
      outcome: 'refused',
      code: 'sender_refused',
      scope: 'message',
      isPermanent: true,
    },
    {
      name: 'an invalid recipient is a fault of the recipient, for good',
      response: refusal(400, {
        type: 'invalid_arguments',
        message: 'invalid argument(s)',
        details: [{ argument_name: 'to', reason: 'format', help_message: 'is not an address' }],
      }),
      outcome: 'refused',
      code: 'recipient_refused',
      scope: 'recipient',
      isPermanent: true,
    },
    {
      name: 'an invalid message is a fault of the message, for good',
      response: refusal(400, {
        type: 'invalid_arguments',
        message: 'invalid argument(s)',
        details: [{ argument_name: 'subject', reason: 'constraint' }],
      }),
      outcome: 'refused',
      code: 'message_refused',
      scope: 'message',
      isPermanent: true,
    },
  ],
  refusal: (text) => refusal(400, { type: 'invalid_arguments', message: text }),
})
