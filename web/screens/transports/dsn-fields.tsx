import { useRef } from 'preact/hooks'
import { OutLink } from '../../design/feedback.tsx'
import { CheckField, Field, SecretField, SelectField, TextField } from '../../design/field.tsx'
import { isShown } from '../../records/ending-login.tsx'
import type { Provider } from '../../records/providers.tsx'
import { dsnWords as texts } from '../../words/dsn-form.ts'
import { type DsnFieldsProps, DsnMembers } from './dsn-members.tsx'
import { GoogleSignIn } from './google-sign-in.tsx'
import { SetupSteps } from './setup-steps.tsx'
import { createForm, type DsnForm } from './use-dsn.ts'

type Variant = Provider['variants'][number]
type FieldDescription = Variant['fields'][number]

/** A list may have lists as members, and those none. */
const listDepthMax = 2

/** The provider of a transport, its fields, and its members where it is a list. */
export function DsnFields(props: DsnFieldsProps) {
  const { providers, form, path, isReading, faultOf, endingLogins = [], onForm } = props
  const provider = providers.find(({ name }) => name === form?.provider)
  const variant = provider?.variants.find(({ name }) => name === form?.variant)
  const remember = useRemembered(form)
  const choose = (name: string, variantName?: string) => {
    const next = providers.find((each) => each.name === name)
    const chosen = remember(name, variantName ?? next?.variants[0]?.name ?? '')
    if (form === undefined) onForm(chosen)
    else if (next?.kind !== 'list') onForm({ ...chosen, key: form.key })
    else if (provider?.kind === 'list') onForm({ ...chosen, key: form.key, members: form.members })
    // A list that is chosen for a single transport begins with that transport as its first member.
    else onForm({ ...chosen, members: [form] })
  }
  const depth = path.split('members').length
  const offered = providers.filter(({ kind }) => kind !== 'list' || depth <= listDepthMax)
  const link = variant?.link ?? provider?.link
  return (
    <>
      <div class="fields wide">
        {offered.length > 1 && (
          <Field label={texts.provider} fault={faultOf(`${path}provider`)}>
            {(described) => (
              <select
                {...described}
                class="input"
                required
                disabled={isReading}
                value={form?.provider ?? ''}
                onChange={(event) => choose(event.currentTarget.value)}
              >
                <option value="" disabled>
                  {texts.chooseProvider}
                </option>
                {kinds.map((kind) => (
                  <optgroup key={kind} label={texts.kinds[kind]}>
                    {offered
                      .filter((each) => each.kind === kind)
                      .map(({ name, title }) => (
                        <option key={name} value={name}>
                          {title}
                        </option>
                      ))}
                  </optgroup>
                ))}
              </select>
            )}
          </Field>
        )}
        {provider !== undefined && form !== undefined && provider.variants.length > 1 && (
          <SelectField
            label={texts.variant}
            value={form.variant}
            onValue={(name) => choose(provider.name, name)}
            options={provider.variants.map(({ name, title }) => ({ value: name, label: title }))}
          />
        )}
      </div>
      {variant?.note && !isShown(variant.note, endingLogins) && <p class="small">{variant.note}</p>}
      {link && (
        <p class="small">
          <OutLink href={link}>{texts.credentials(provider?.title ?? '')}</OutLink>
        </p>
      )}
      {variant !== undefined && form !== undefined && (
        <VariantFields {...props} form={form} variant={variant} />
      )}
      {provider?.kind === 'list' && form !== undefined && (
        <DsnMembers {...props} form={form} membersMax={provider.membersMax} content={DsnFields} />
      )}
    </>
  )
}

const kinds = ['general', 'list', 'provider'] as const

/** Returns the fields that were typed for a variant before, so that choosing it again brings them back. */
function useRemembered(form: DsnForm | undefined) {
  const typed = useRef(new Map<string, DsnForm>())
  if (form !== undefined) typed.current.set(`${form.provider} ${form.variant}`, form)
  return (provider: string, variant: string) =>
    typed.current.get(`${provider} ${variant}`) ?? createForm(provider, variant)
}

function VariantFields({
  form,
  variant,
  path,
  faultOf,
  onForm,
}: DsnFieldsProps & { form: DsnForm; variant: Variant }) {
  const set = (name: string) => (value: string | boolean | undefined) => {
    const { [name]: _before, ...others } = form.fields
    const fields = value === undefined || value === '' ? others : { ...others, [name]: value }
    onForm({ ...form, fields }, `${path}${name}`)
  }
  const inputOf = (field: FieldDescription) => (
    <div key={field.name} data-field={`${path}${field.name}`}>
      <OneField
        field={field}
        value={form.fields[field.name]}
        fault={faultOf(`${path}${field.name}`)}
        onValue={set(field.name)}
      />
    </div>
  )
  const known = new Set(variant.fields.map(({ name }) => name))
  const others = Object.keys(form.fields).filter((name) => !known.has(name))
  const advanced = variant.fields.filter((field) => field.advanced)
  const isOpen = advanced.some(({ name }) => faultOf(`${path}${name}`) !== undefined)
  const changed = advanced.filter(({ name }) => form.fields[name] !== undefined)
  return (
    <>
      <div class="fields wide">
        {variant.fields.filter((field) => !field.advanced).map(inputOf)}
      </div>
      {variant.scheme === 'gmail+oauth' && known.has('refreshToken') && (
        <GoogleSignIn
          clientId={String(form.fields['user'] ?? '')}
          clientSecret={String(form.fields['password'] ?? '')}
          mailbox={String(form.fields['mailbox'] ?? '')}
          onRefreshToken={set('refreshToken')}
        />
      )}
      {advanced.length > 0 && (
        <details open={isOpen || undefined}>
          <summary>{texts.more(changed.length)}</summary>
          <div class="fields wide inset">{advanced.map(inputOf)}</div>
        </details>
      )}
      {others.map((name) => (
        <TextField
          key={name}
          label={texts.otherOption(name)}
          isMono
          value={String(form.fields[name])}
          onValue={set(name)}
          fault={faultOf(`${path}${name}`)}
          help={texts.otherOptionHelp}
        />
      ))}
      {variant.steps.length > 0 && (
        <SetupSteps
          key={`${form.provider} ${variant.name}`}
          variant={variant}
          values={form.fields}
        />
      )}
    </>
  )
}

interface OneFieldProps {
  field: FieldDescription
  value: string | number | boolean | undefined
  fault: string | undefined
  /** Undefined where the default applies. */
  onValue: (value: string | boolean | undefined) => void
}

function OneField({ field, value, fault, onValue }: OneFieldProps) {
  const { label, type, required, example, options, default: standard } = field
  const help = field.help ?? undefined
  const text = value === undefined ? '' : String(value)
  const shared = { label, help, fault, value: text, onValue }
  if (type === 'boolean') {
    const isOnByDefault = standard === '1'
    return (
      <CheckField
        label={label}
        help={help}
        value={value === undefined ? isOnByDefault : value === true}
        onValue={(isOn) => onValue(isOn === isOnByDefault ? undefined : isOn)}
      />
    )
  }
  if (type === 'password') return <SecretField {...shared} required={required} />
  if (type === 'select') {
    const none = required ? texts.choose : texts.standard(standard)
    const isOther = text !== '' && options.every((option) => option.value !== text)
    const choices = [{ value: '', label: none }, ...options]
    return (
      <SelectField
        {...shared}
        options={isOther ? [...choices, { value: text, label: text }] : choices}
      />
    )
  }
  return (
    <TextField
      {...shared}
      help={standard === null ? help : [help, texts.byDefault(standard)].filter(Boolean).join(' ')}
      required={required}
      placeholder={texts.example(example)}
      inputMode={type === 'number' ? 'decimal' : undefined}
      autocomplete="off"
      isMono={type === 'host'}
    />
  )
}
