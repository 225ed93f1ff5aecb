import { useState } from 'preact/hooks'
import { deliveryEventTypes } from '../../../src/core/delivery/events.ts'
import { ActionButton } from '../../design/button.tsx'
import { CopyField } from '../../design/copy-text.tsx'
import { ConfirmButton } from '../../design/dialog.tsx'
import { Facts } from '../../design/facts.tsx'
import { Badge, Notice } from '../../design/feedback.tsx'
import { SecretField, SelectField } from '../../design/field.tsx'
import { FormActions, FormFault } from '../../design/form-fault.tsx'
import { Card } from '../../design/page.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Body, type Schema } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { useAnswer } from '../../lib/use-data.ts'
import { field, useForm } from '../../lib/use-form.ts'
import { deliveriesHref } from '../../records/delivery-filters.ts'
import { EventBadge } from '../../records/outcome-badge.tsx'
import { words } from '../../words/common.ts'
import { counted, formatNumber } from '../../words/format.ts'

const texts = {
  title: 'Events of the provider',
  why: 'Once they are set up, Mailyard knows of bounces, complaints and unsubscribes that come after the provider accepted a message.',
  setUp: 'Set up',
  other: 'Provider behind this server',
  otherLabel: 'Provider',
  otherHelp:
    'It reports what happens to the messages later. For a relay host, a server of your own with Postal, and the mail command.',
  noOther: 'None that reports events',
  url: 'Address',
  notPublic: (provider: string) =>
    `${provider} cannot call this address: it leads into a private network, or is not of HTTPS. Set MAILYARD_PUBLIC_URL to the https:// address at which the internet reaches Mailyard.`,
  urlHelp: 'It contains a secret: give it to the provider only.',
  steps: (provider: string) => `What to do at ${provider}`,
  signingKeyHelp: (provider: string) => `It proves that events come from ${provider}.`,
  saved: 'The key is saved.',
  last: 'Last event',
  received: 'Received',
  others: {
    ignored: (count: number) => `${formatNumber(count)} ignored, such as opens and clicks`,
    unknown: (count: number) => `${formatNumber(count)} of messages that Mailyard does not know`,
    refused: (count: number) => `${counted(count, 'request')} refused`,
  },
  removeTitle: (provider: string) => `Stop receiving the events of ${provider}?`,
  removeText:
    'The address stops working at once. Delete the webhook at the provider, too. Setting it up again gives another address.',
} as const

const operation = '/api/multipleTransports/{id}/webhook'
type Webhook = NonNullable<Schema<'TransportWebhook'>>
type Provider = Body<'GET', `${typeof operation}s`>['providers'][number]

const refreshMs = 10_000
const mayEdit = () => can('multipleTransports:edit')

/** What the providers of a transport report after they accepted messages. Nothing where they report nothing. */
export function TransportEvents({ id, dsn }: { id: number; dsn: string }) {
  const loaded = useAnswer(`${operation}s`, { path: { id } }, { refreshMs, keys: [dsn] })
  const { webhooks = [], providers = [], otherProviders = [], problem = null } = loaded.data ?? {}
  // A provider that the DSN does not name any more may still send events.
  const gone = webhooks.filter(({ provider }) => providers.every(({ name }) => name !== provider))
  const all: Provider[] = [
    ...providers,
    ...gone.map(({ provider: name, providerTitle: title }) => ({ name, title })),
  ]
  const others = otherProviders.filter(({ name }) => all.every((each) => each.name !== name))
  if (webhooks.length === 0 && !mayEdit()) return null
  return (
    <>
      {all.length > 0 && (
        <Card title={texts.title}>
          {webhooks.length === 0 && <p>{texts.why}</p>}
          {problem !== null && <Notice tone="warn">{problem}</Notice>}
          <ul class="lines">
            {all.map((provider) => (
              <ProviderEvents
                key={provider.name}
                id={id}
                provider={provider}
                webhook={webhooks.find((webhook) => webhook.provider === provider.name)}
                isAlone={all.length === 1}
                isPossible={problem === null}
                onChanged={loaded.reload}
              />
            ))}
          </ul>
        </Card>
      )}
      {others.length > 0 && problem === null && mayEdit() && (
        <OtherProvider id={id} providers={others} onChanged={loaded.reload} />
      )}
    </>
  )
}

/** Names the provider behind a server that is not known, and sets it up. */
function OtherProvider({
  providers,
  ...props
}: Omit<EventsProps, 'provider'> & { providers: readonly Provider[] }) {
  const [name, choose] = useState('')
  const provider = providers.find((each) => each.name === name)
  const options = providers.map((each) => ({ value: each.name, label: each.title }))
  return (
    <Card title={texts.other}>
      <SelectField
        label={texts.otherLabel}
        help={texts.otherHelp}
        value={provider === undefined ? '' : name}
        onValue={choose}
        options={[{ value: '', label: texts.noOther }, ...options]}
      />
      {provider !== undefined && <SetUp provider={provider} {...props} />}
    </Card>
  )
}

interface EventsProps {
  id: number
  provider: Provider
  onChanged: () => void
}

/** One provider of a transport: how to set it up, or what it reported. */
function ProviderEvents({
  webhook,
  isAlone,
  isPossible,
  ...props
}: EventsProps & {
  webhook: Webhook | undefined
  /** Whether it is the only one of the transport. */
  isAlone: boolean
  /** Whether an address can be made. */
  isPossible: boolean
}) {
  const { id, provider, onChanged } = props
  const { name, title } = provider
  if (webhook === undefined)
    return (
      <li class="stack">
        {!isAlone && <h3>{title}</h3>}
        {isPossible && mayEdit() && <SetUp {...props} />}
      </li>
    )
  const { url, problem, lastEventAt, signingKeyLabel, steps } = webhook
  const remove = async () => {
    const options = { path: { id }, query: { provider: name } }
    showToast((await ask('DELETE', operation, options)).body.message)
    onChanged()
  }
  return (
    <li class="stack">
      <div class="spread">
        <span class="row">
          <h3>{title}</h3>
          {problem !== null && <Badge tone="bad">Problem</Badge>}
          {problem === null && lastEventAt === null && <Badge>No event yet</Badge>}
          {problem === null && lastEventAt !== null && <Badge tone="good">Works</Badge>}
        </span>
        {mayEdit() && (
          <ConfirmButton
            kind="danger"
            action={words.remove}
            title={texts.removeTitle(title)}
            text={texts.removeText}
            keep={words.keepIt}
            onConfirm={remove}
          />
        )}
      </div>
      <Received id={id} webhook={webhook} />
      {mayEdit() && (
        <>
          {!publicAddress.test(url) && <Notice tone="warn">{texts.notPublic(title)}</Notice>}
          <CopyField label={texts.url} help={texts.urlHelp} text={url} />
          {signingKeyLabel !== null && (
            <SigningKey id={id} webhook={webhook} onChanged={onChanged} />
          )}
          <details open={lastEventAt === null}>
            <summary>{texts.steps(title)}</summary>
            <ol class="setup-steps">
              {steps.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ol>
          </details>
        </>
      )}
    </li>
  )
}

/** An address that a provider can call, as far as it shows that. */
const publicAddress =
  /^https:\/\/(?!localhost|127\.|10\.|172\.(?:1[6-9]|2\d|3[01])\.|192\.168\.|\[::1\])/

/** Creates the address that the provider is to call. */
function SetUp({ id, provider: { name }, onChanged }: EventsProps) {
  const create = async () => {
    await ask('PUT', operation, { path: { id }, body: { provider: name } })
    onChanged()
  }
  return (
    <div class="row">
      <ActionButton kind="primary" action={create}>
        {texts.setUp}
      </ActionButton>
    </div>
  )
}

/** The key with which the provider signs its requests. */
function SigningKey({
  id,
  webhook: { provider, providerTitle, signingKey, signingKeyLabel },
  onChanged,
}: {
  id: number
  webhook: Webhook
  onChanged: () => void
}) {
  const form = useForm({
    texts: {
      labels: { signingKey: signingKeyLabel ?? '' },
      help: { signingKey: texts.signingKeyHelp(providerTitle) },
    },
    saved: { draft: { signingKey: signingKey ?? '' }, etag: 'saved' },
    async save(draft, { etag }) {
      const body = { provider, signingKey: draft.signingKey || null }
      await ask('PUT', operation, { path: { id }, body })
      showToast(texts.saved)
      onChanged()
      return { draft: { signingKey: draft.signingKey && '********' }, etag }
    },
  })
  return (
    <form id={form.id} onSubmit={form.submit} class="stack">
      <FormFault form={form} />
      <SecretField {...field(form, 'signingKey')} />
      {form.isChanged && <FormActions form={form} />}
    </form>
  )
}

const otherCounts = ['ignored', 'unknown', 'refused'] as const

/** What was received, and what is wrong. */
function Received({
  id,
  webhook: { problem, lastEventAt, counts },
}: {
  id: number
  webhook: Webhook
}) {
  const types = deliveryEventTypes.filter((type) => counts[type] > 0)
  const others = otherCounts
    .filter((name) => counts[name] > 0)
    .map((name) => texts.others[name](counts[name]))
  return (
    <>
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      {lastEventAt !== null && (
        <Facts
          facts={[
            [texts.last, <Time key="time" iso={lastEventAt} />],
            [
              texts.received,
              <span key="types" class="row">
                {types.map((event) => (
                  <a
                    key={event}
                    class="row"
                    href={deliveriesHref({ transportId: String(id), event })}
                  >
                    <EventBadge event={event} /> {formatNumber(counts[event])}
                  </a>
                ))}
              </span>,
            ],
          ]}
        />
      )}
      {others.length > 0 && <p class="quiet small">{others.join(', ')}.</p>}
    </>
  )
}
