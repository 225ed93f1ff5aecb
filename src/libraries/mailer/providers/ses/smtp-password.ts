import { createHmac } from 'node:crypto'

/**
 * Derives the password for SMTP from the secret of an access key.
 * @see https://docs.aws.amazon.com/ses/latest/dg/smtp-credentials.html#smtp-credentials-convert
 */
export function smtpPasswordOf(secretAccessKey: string, region: string): string {
  const parts = ['11111111', region, 'ses', 'aws4_request', 'SendRawEmail']
  const signature = parts.reduce<Buffer>(
    (key, part) => createHmac('sha256', key).update(part).digest(),
    Buffer.from(`AWS4${secretAccessKey}`),
  )
  return Buffer.concat([Buffer.from([4]), signature]).toString('base64')
}
