import { asAdmin } from '../../../test/administrator.ts'
import type { MailyardProcess } from '../../../test/mailyard-process.ts'

/** The transports of a batch request. */
export function transports(count: number): Record<string, string>[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `Transport ${index}`,
    description: `For the customers of brand ${index}`,
    mailerDsn: `smtp://user${index}:s3cret-${index}@smtp${index}.example.com:587`,
    testedEmailFrom: `brand${index}@example.com`,
  }))
}

/** Creates transports in one request; throws unless all were created. Returns the milliseconds until the last byte. */
export async function createTransports({ url }: MailyardProcess, body: string): Promise<number> {
  const startedAt = performance.now()
  const answer = await fetch(`${url}/api/multipleTransports/batch/new`, {
    method: 'POST',
    headers: { authorization: asAdmin, 'content-type': 'application/json' },
    body,
  })
  const text = await answer.text()
  if (answer.status !== 201) throw new Error(text.slice(0, 500))
  return performance.now() - startedAt
}
