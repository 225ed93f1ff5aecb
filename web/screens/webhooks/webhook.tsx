import { useState } from 'preact/hooks'
import { eventTypeNames, eventTypes } from '../../../src/core/published/event-types.ts'
import { ActionButton } from '../../design/button.tsx'
import { CopyField } from '../../design/copy-text.tsx'
import { ConfirmButton, Dialog } from '../../design/dialog.tsx'
import { Facts } from '../../design/facts.tsx'
import { Notice, OutLink } from '../../design/feedback.tsx'
import { CheckField, SelectField, TextField } from '../../design/field.tsx'
import { Card } from '../../design/page.tsx'
import { Tabs } from '../../design/tabs.tsx'
import { Time } from '../../design/time.tsx'
import { ask } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { useAddress } from '../../lib/use-address.ts'
import { useAnswer } from '../../lib/use-data.ts'
import { type Form, field } from '../../lib/use-form.ts'
import { BrandField } from '../../records/brands.tsx'
import { type Editor, RecordPage, ResourceScreen } from '../../records/resource-screen.tsx'
import { resourceOf } from '../../records/stored.ts'
import { words } from '../../words/common.ts'
import { formatNumber } from '../../words/format.ts'
import { webhookWords as text } from '../../words/webhooks.ts'
import { Messages } from './messages.tsx'
import { type Draft, draftOf, inputOf, type Webhook, WebhookState } from './record.tsx'

const refreshMs = 10_000
const formats = Object.keys(text.formats) as Draft['format'][]

interface Shown {
  name: string
  secret: string
}

const webhooks = (onSecret: (shown: Shown) => void) =>
  resourceOf('webhook', {
    path: '/webhooks',
    area: 'api',
    texts: text,
    draftOf,
    inputOf,
    onSaved: ({ name, secret }) => secret !== undefined && onSecret({ name, secret }),
    nameOf: ({ name }) => name,
  })

/** One webhook: change it, or add a new one, whose secret is then shown once. */
export default function WebhookScreen() {
  const [shown, setShown] = useState<Shown>()
  return (
    <>
      <ResourceScreen resource={webhooks(setShown)} content={WebhookPage} />
      {shown !== undefined && <Secret {...shown} onClose={() => setShown(undefined)} />}
    </>
  )
}

function WebhookPage(editor: Editor<Draft, Webhook>) {
  const { id, record, form } = editor
  const { query, go } = useAddress()
  const live = useAnswer(
    id === undefined ? undefined : '/api/webhooks/{id}',
    { path: { id: id ?? 0 } },
    { refreshMs, keys: [record] },
  )
  const webhook = live.data?.webhook ?? record
  const { help, url } = text.formats[form.draft.format]
  const tab = query['tab'] === 'messages' ? 'messages' : 'settings'
  return (
    <RecordPage
      editor={editor}
      badge={webhook && <WebhookState webhook={webhook} />}
      wrap={
        id === undefined
          ? undefined
          : (settings) => (
              <Tabs
                label={text.title}
                tabs={text.tabs}
                shown={tab}
                onShow={(name) => go({ tab: name === 'settings' ? undefined : name }, true)}
              >
                {tab === 'settings' ? settings : <Messages id={id} />}
              </Tabs>
            )
      }
      side={
        webhook === undefined ? (
          <Card title={text.about.title}>
            <Facts facts={Object.values(text.formats).map(({ short, about }) => [short, about])} />
          </Card>
        ) : (
          <>
            <StateCard webhook={webhook} />
            {can('api:edit') && <TestCard id={webhook.id} onTested={live.reload} />}
            {can('api:edit') && webhook.format === 'standard' && <SecretCard webhook={webhook} />}
          </>
        )
      }
    >
      <TextField {...field(form, 'name')} required autocomplete="off" />
      <BrandField {...field(form, 'brand')} none={text.everyBrand} />
      <SelectField
        {...field(form, 'format')}
        help={help}
        options={formats.map((value) => ({ value, label: text.formats[value].label }))}
      />
      <TextField
        {...field(form, 'url')}
        help={url}
        required
        placeholder={text.urlExample}
        inputMode="url"
      />
      <EventFields form={form} />
      <CheckField {...field(form, 'isPublished')} />
    </RecordPage>
  )
}

type Group = keyof typeof text.groups

const groupsOf: Readonly<Record<string, Group>> = {
  delivery: 'deliveries',
  suppression: 'deliveries',
  mautic: 'others',
  webhook: 'others',
}

/** The group that a type of event is shown in, by what it is about. */
function groupOf(type: string): Group {
  return groupsOf[type.split('.')[0] ?? ''] ?? 'sending'
}

function EventFields({ form }: { form: Form<Draft> }) {
  const { events } = form.draft
  const fault = form.faultOf('events')
  const set = (type: string, isOn: boolean) =>
    form.set('events')(
      eventTypeNames.filter((each) => (each === type ? isOn : events.includes(each))),
    )
  return (
    <>
      {(Object.keys(text.groups) as Group[]).map((group) => {
        const types = eventTypeNames.filter((type) => groupOf(type) === group)
        return (
          <fieldset key={group} class="group">
            <legend>{text.groups[group]}</legend>
            <div class="fields wide">
              {types.map((type) => (
                <CheckField
                  key={type}
                  label={eventTypes[type].label}
                  help={eventTypes[type].meaning}
                  value={events.includes(type)}
                  onValue={(isOn) => set(type, isOn)}
                />
              ))}
            </div>
          </fieldset>
        )
      })}
      {fault !== undefined && <p class="fault">{fault}</p>}
    </>
  )
}

function StateCard({ webhook }: { webhook: Webhook }) {
  const { state, problem, lastSuccessAt, waiting } = webhook
  return (
    <Card title={words.state}>
      {problem !== null && <Notice tone={state === 'dead' ? 'bad' : 'warn'}>{problem}</Notice>}
      {state === 'dead' && <p class="small">{text.dead}</p>}
      <Facts
        facts={[
          [text.lastSuccess, <Time key="time" iso={lastSuccessAt} none={words.noneYet} />],
          [text.waiting, formatNumber(waiting)],
        ]}
      />
    </Card>
  )
}

/** Sends a message of a separate type, and shows what the receiver answered. */
function TestCard({ id, onTested }: { id: number; onTested: () => void }) {
  const test = async () => {
    const { body } = await ask('POST', '/api/webhooks/{id}/test', { path: { id } })
    showToast(body.message, body.success ? 'good' : 'bad')
    onTested()
  }
  return (
    <Card
      title={text.test.title}
      tools={<ActionButton action={test}>{text.test.send}</ActionButton>}
    >
      <p class="quiet small">{text.test.help}</p>
    </Card>
  )
}

function SecretCard({ webhook: { id, name } }: { webhook: Webhook }) {
  const [secret, setSecret] = useState<string>()
  const rotate = async () => {
    const { body } = await ask('POST', '/api/webhooks/{id}/rotateSecret', { path: { id } })
    setSecret(body.webhook.secret)
  }
  return (
    <Card
      title={words.secret.label}
      tools={<ConfirmButton {...text.secret.rotate} onConfirm={rotate} />}
    >
      <p class="quiet small">{text.secret.help}</p>
      {secret !== undefined && (
        <Secret name={name} secret={secret} onClose={() => setSecret(undefined)} />
      )}
    </Card>
  )
}

const librariesUrl = 'https://www.standardwebhooks.com'

/** A secret, shown once, with what the receiver does with it. */
function Secret({ name, secret, onClose }: Shown & { onClose: () => void }) {
  return (
    <Dialog title={words.secret.of(name)} done={words.secret.stored} onClose={onClose}>
      <Notice tone="warn">{words.secret.once}</Notice>
      <CopyField label={words.secret.label} text={secret} />
      <p class="small">{text.secret.verify}</p>
      <pre>{text.secret.code}</pre>
      <p class="small">
        <OutLink href={librariesUrl}>{text.secret.libraries}</OutLink>
      </p>
    </Dialog>
  )
}
