import type { ApiAdapter, ApiMessage, ApiVerdict, RefusalKind } from '../../api/api-adapter.ts'
import { postJson, readJson, textOf } from '../../api/json.ts'
import { objectsOf } from '../../api/json-list.ts'
import { refused } from '../../api/refused.ts'
import type { HttpAnswer, HttpRequest } from '../../http/http-exchange.ts'
import { apiEndpoint, apiKey } from '../api-endpoint.ts'
import type { ApiScheme } from '../provider.ts'
import { buildTransmission } from './transmission.ts'

/** https://support.sparkpost.com/docs/tech-resources/extended-error-codes; the status decides for the others. */
const kinds: Record<string, RefusalKind> = {
  '1502': 'provider',
  '1600': 'message',
  '1601': 'quota',
  '2101': 'quota',
  '2102': 'quota',
  '2103': 'quota',
  '5002': 'recipient',
  '7000': 'sender',
  '7001': 'sender',
}

/** SparkPost's transmissions, for the plug-in of Mautic. https://developers.sparkpost.com/api/transmissions/ */
export const sparkpostApi: ApiScheme = {
  kind: 'api',
  names: ['sparkpost+api', 'mautic+sparkpost+api'],
  isUserSecret: true,
  publicOptions: ['region'],
  read(dsn) {
    const key = apiKey(dsn, 'the API key')
    const region = dsn.options.word('region') ?? 'us'
    const host = region === 'us' ? 'api.sparkpost.com' : `api.${region}.sparkpost.com`
    const endpoint = apiEndpoint(dsn, host)
    return {
      endpoint,
      limits: { recipientsMax: 2000, sizeBytesMax: 20 * 1024 * 1024, batchMax: 2000 },
      async request(message: ApiMessage): Promise<HttpRequest> {
        const body = await buildTransmission(message)
        return postJson(`${endpoint}/api/v1/transmissions`, { authorization: key }, body)
      },
      readAnswer,
    } satisfies ApiAdapter
  },
}

function readAnswer(answer: HttpAnswer): ApiVerdict | undefined {
  const body = readJson(answer)
  const [error] = objectsOf(body?.['errors'])
  const [results] = objectsOf([body?.['results']])
  if (answer.status === 200 && results !== undefined) {
    const messageId = textOf(results['id'])
    // It counts the recipients that it left out, but does not say which of several they are.
    if (results['total_accepted_recipients'] === 0) return noRecipient(results)
    return messageId === '' ? undefined : { isAccepted: true, messageId }
  }
  if (error === undefined) return undefined
  const code = textOf(error['code'])
  return refused(textOfError(error), { code, kind: kindOf(answer.status, code, error) })
}

function noRecipient(results: Readonly<Record<string, unknown>>): ApiVerdict {
  const [error] = objectsOf(results['rcpt_to_errors'])
  return refused(error === undefined ? 'No recipient was accepted.' : textOfError(error), {
    kind: 'recipient',
  })
}

function textOfError(error: Readonly<Record<string, unknown>>): string {
  return [textOf(error['message']), textOf(error['description'])]
    .filter((text) => text !== '')
    .join(': ')
}

function kindOf(
  status: number,
  code: string,
  error: Readonly<Record<string, unknown>>,
): RefusalKind | undefined {
  // 420 is SparkPost's own status: a sending limit of the account.
  if (status === 420) return 'quota'
  if (code === '1902' && /recipient|suppress/i.test(textOf(error['description'])))
    return 'recipient'
  return kinds[code]
}
