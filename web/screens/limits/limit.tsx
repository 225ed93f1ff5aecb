import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { HelpLink, OutLink } from '../../design/feedback.tsx'
import {
  CheckField,
  choicesOf,
  SelectField,
  TextArea,
  TextField,
  WhileEditing,
} from '../../design/field.tsx'
import { Card, Show } from '../../design/page.tsx'
import { can } from '../../lib/session.ts'
import { useAnswer } from '../../lib/use-data.ts'
import { type Form, field } from '../../lib/use-form.ts'
import { BrandField } from '../../records/brands.tsx'
import { ChosenField } from '../../records/chosen-field.tsx'
import { findTransports } from '../../records/find.ts'
import { useProviders } from '../../records/providers.tsx'
import {
  byTransport,
  filterOfGroup,
  keyOfGroup,
  nameOfGroup,
  queueHref,
} from '../../records/queue.tsx'
import { type Editor, RecordPage, ResourceScreen } from '../../records/resource-screen.tsx'
import { resourceOf } from '../../records/stored.ts'
import { useTransportNames } from '../../records/transports.tsx'
import { UsageBars } from '../../records/usage-bars.tsx'
import { words } from '../../words/common.ts'
import { limitWords as text } from '../../words/limits.ts'
import { type Draft, draftOf, inputOf, type Limit, rates } from './draft.ts'
import { WarmUpFields } from './warm-up.tsx'

const refreshMs = 10_000

const limits = resourceOf('limit', {
  path: '/limits',
  area: 'multipleTransports',
  texts: text,
  draftOf,
  inputOf,
  nameOf: ({ name }) => name,
})

export default function LimitScreen() {
  return <ResourceScreen resource={limits} content={LimitPage} />
}

function LimitPage(editor: Editor<Draft, Limit>) {
  const { id, form, record } = editor
  const nameOf = useTransportNames(form.draft.transports)
  return (
    <RecordPage
      editor={editor}
      side={
        id === undefined ? (
          <Card title={text.about.title}>
            <ul class="stack">
              {text.about.points().map((point) => (
                <li key={point}>{point}</li>
              ))}
            </ul>
            <HelpLink page="warm-up" />
          </Card>
        ) : (
          <UsageCard id={id} change={record} />
        )
      }
    >
      <TextField {...field(form, 'name')} required />
      <TextArea {...field(form, 'description')} rows={2} />
      <BrandField {...field(form, 'brand')} />
      <ChosenField
        {...field(form, 'transports')}
        add={words.addTransport}
        nameOf={nameOf}
        href="/transports"
        find={findTransports}
      />
      <fieldset class="group">
        <legend>{text.rates}</legend>
        <WhileEditing>
          <p class="quiet small">{text.emptyHelp}</p>
          <Presets form={form} />
        </WhileEditing>
        <div class="fields">
          {rates.map((rate) => (
            <TextField key={rate} {...field(form, rate)} type="number" inputMode="numeric" />
          ))}
        </div>
      </fieldset>
      <WarmUpFields form={form} />
      <SelectField
        {...field(form, 'overflow')}
        help={text.overflowHelp[form.draft.overflow]}
        options={choicesOf(text.overflows)}
      />
      <CheckField {...field(form, 'isPublished')} />
    </RecordPage>
  )
}

/** Fills in the limits that a provider publishes for a kind of account. */
function Presets({ form }: { form: Form<Draft> }) {
  const [chosen, setChosen] = useState('')
  const presets = useProviders().providers.flatMap(({ title, accountLimits }) =>
    accountLimits.map((limits) => ({ label: `${title}: ${limits.title}`, limits })),
  )
  const link = presets.find(({ label }) => label === chosen)?.limits.link
  const choose = (label: string) => {
    setChosen(label)
    const limits = presets.find((preset) => preset.label === label)?.limits
    if (limits === undefined) return
    const numbers = rates.map((rate) => [
      rate,
      String((rate === 'perHour' ? null : limits[rate]) ?? ''),
    ])
    form.setDraft({ ...form.draft, ...Object.fromEntries(numbers) })
  }
  return (
    <SelectField
      label={text.preset}
      value={chosen}
      onValue={choose}
      help={
        link === undefined ? (
          text.presetHelp
        ) : (
          <>
            {text.presetSource} <OutLink href={link}>{new URL(link).host}</OutLink>
          </>
        )
      }
      options={[
        { value: '', label: text.noPreset },
        ...presets.map(({ label }) => ({ value: label, label })),
      ]}
    />
  )
}

/** What is used now, and when it is reached. It is read again after the limit was changed, and at each interval. */
function UsageCard({ id, change }: { id: number; change: unknown }) {
  const options = { refreshMs, keys: [change] }
  const loaded = useAnswer('/api/limits/{id}', { path: { id } }, options)
  // Only the queue of a brand names its budget.
  const query = { brand: loaded.data?.limit.brand ?? undefined }
  const queue = useAnswer(can('queue:view') ? '/api/queue' : undefined, { query }, options)
  const waiting = (queue.data?.groups ?? []).filter(({ limit }) => limit?.id === id)
  return (
    <Card title={text.usage.title} tools={<Button onClick={loaded.reload}>{words.refresh}</Button>}>
      <Show loaded={loaded}>
        {({ limit: { usage } }) =>
          usage && (
            <>
              <UsageBars usage={usage} />
              {usage.warmUp !== null && (
                <p>{text.warmUp.today(usage.warmUp.day, usage.warmUp.allowance)}</p>
              )}
            </>
          )
        }
      </Show>
      {byTransport(waiting).map((group) => (
        <p key={keyOfGroup(group)}>
          <a href={queueHref(filterOfGroup(group))}>
            {text.usage.waiting(nameOfGroup(group), group.queued + group.deferred)}
          </a>
        </p>
      ))}
    </Card>
  )
}
