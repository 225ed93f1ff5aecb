import { Facts } from '../../design/facts.tsx'
import { Badge } from '../../design/feedback.tsx'
import { ask } from '../../lib/api.ts'
import { useData } from '../../lib/use-data.ts'
import type { EndingLogin } from '../../records/ending-login.tsx'
import { useMauticName } from '../../records/use-mautics.ts'
import { words } from '../../words/common.ts'
import { dsnWords as texts } from '../../words/dsn-form.ts'
import { transportWords } from '../../words/transports.ts'
import type { Draft } from './draft.ts'
import { DsnMeaning } from './dsn-editor.tsx'
import type { Provider } from './dsn-fields.tsx'

const { editor } = transportWords

/** A transport for those who may not edit it. The API has masked its secrets. */
export function TransportFacts({
  id,
  transport,
  providers,
  endingLogins,
}: {
  id: number
  transport: Draft
  providers: readonly Provider[]
  /** Those that the page shows. */
  endingLogins: readonly EndingLogin[]
}) {
  const { data: inspection } = useData(
    async (signal) => {
      const path = '/api/multipleTransports/dsn/inspect'
      return (await ask('POST', path, { body: { id }, signal, isRead: true })).body
    },
    [id],
  )
  const provider = providers.find(({ name }) => name === inspection?.provider)
  const { labels } = editor
  const mauticName = useMauticName()(Number(transport.mautic))
  return (
    <section class="card">
      <Facts
        facts={[
          [
            labels.isPublished,
            <Badge key="state" tone={transport.isPublished ? 'good' : 'neutral'}>
              {transport.isPublished ? words.published : words.unpublished}
            </Badge>,
          ],
          [texts.provider, provider?.title],
          [labels.mailerDsn, <code key="dsn">{transport.mailerDsn}</code>],
          [labels.testedEmailFrom, transport.testedEmailFrom],
          [labels.description, transport.description],
          ...(transport.mautic === '' ? [] : [[labels.mautic, mauticName] as const]),
        ]}
      />
      <DsnMeaning inspection={inspection} endingLogins={endingLogins} />
    </section>
  )
}
