import { jsonRequest, testApiProvider } from '../../testing/api-provider.case.test.ts'
import { json } from '../../testing/api-server.case.test.ts'
import {
  documentBase64,
  imageBase64,
  sampleFields,
} from '../../testing/sample-message.case.test.ts'

const refusal = (status: number, type: string, message: string, ...details: object[]) =>
  json(status, { type, message, details })
const invalid = (argument_name: string, reason: string) =>
  refusal(400, 'invalid_arguments', 'invalid argument(s)', { argument_name, reason })

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
  checkRequest: jsonRequest(
    'POST /transactional-email/v1alpha1/regions/nl-ams/emails',
    'x-auth-token: S3CRET-1',
    {
      project_id: 'PROJECT-1',
      ...sampleFields,
      attachments: [
        { name: 'logo.gif', type: 'image/gif', content: imageBase64 },
        { name: 'report.pdf', type: 'application/pdf', content: documentBase64 },
      ],
      additional_headers: [
        { key: 'List-Unsubscribe', value: '<https://example.com/u?id=1>' },
        { key: 'X-Custom', value: 'kept' },
        { key: 'Reply-To', value: 'Support <support@example.com>' },
      ],
    },
  ),
  // https://www.scaleway.com/en/developers/api/transactional-email/#path-emails-send-an-email
  success: json(200, {
    emails: [
      {
        id: 'a1b2c3d4-0000-4000-8000-000000000000',
        message_id: '1b2c3d4e@example.com',
        status: 'new',
        mail_rcpt: 'jane@example.net',
      },
    ],
  }),
  messageId: '1b2c3d4e@example.com',
  // https://www.scaleway.com/en/developers/api/#errors
  refusals: {
    credentials_refused: [
      refusal(401, 'denied_authentication', 'authentication is denied'),
      refusal(403, 'permissions_denied', 'insufficient permissions', { action: 'write' }),
    ],
    quota_exceeded: [refusal(403, 'quotas_exceeded', 'quota(s) exceeded')],
    sender_refused: [refusal(412, 'precondition_failed', 'domain must be checked')],
    recipient_refused: [invalid('to', 'format')],
    message_refused: [invalid('subject', 'constraint')],
  },
  refusal: (text) => refusal(400, 'invalid_arguments', text),
})
