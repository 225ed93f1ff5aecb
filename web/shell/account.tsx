import { useState } from 'preact/hooks'
import { ActionButton, Button } from '../design/button.tsx'
import { Dialog } from '../design/dialog.tsx'
import { choicesOf, SelectField } from '../design/field.tsx'
import { Icon } from '../design/icon.tsx'
import { applyLooks, type Look, readLook } from '../lib/looks.ts'
import { session } from '../lib/session.ts'
import { openDialog } from '../lib/shown.ts'
import { words } from '../words/common.ts'
import {
  chooseReading,
  type DateStyle,
  dateStyles,
  formatExample,
  reading,
  timeZones,
} from '../words/format.ts'

/** Who is logged in, the help, and the time zone of all times. */
export function Account({ onLogOut }: { onLogOut: () => Promise<void> }) {
  const { timeZone } = reading()
  return (
    <div class="foot small">
      <div class="spread">
        <strong>{session.value?.user.name}</strong>
        <ActionButton kind="plain" action={onLogOut}>
          {words.login.logOut}
        </ActionButton>
      </div>
      <div class="foot-links">
        <a class="nav-link" href="/help">
          <Icon name="uncertain" />
          {words.help}
        </a>
        <button
          type="button"
          class="nav-link"
          aria-label={words.settings.open(timeZone)}
          onClick={() => (openDialog.value = 'settings')}
        >
          <Icon name="settings" />
          <span>{timeZone}</span>
        </button>
      </div>
    </div>
  )
}

export function Settings({ onClose }: { onClose: () => void }) {
  const texts = words.settings
  const chosen = reading()
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <p class="quiet">{texts.help}</p>
      <LookField look="scheme" />
      <LookField look="density" />
      <SelectField
        label={texts.dates}
        value={chosen.style}
        onValue={(value) => chooseReading({ ...chosen, style: value })}
        options={(Object.keys(dateStyles) as DateStyle[]).map((value) => ({
          value,
          label: formatExample(value),
        }))}
      />
      <SelectField
        label={texts.timeZone}
        value={chosen.timeZone}
        onValue={(timeZone) => chooseReading({ ...chosen, timeZone })}
        options={timeZones().map((value) => ({ value, label: value.replaceAll('_', ' ') }))}
      />
      <div class="row dialog-actions">
        <Button kind="plain" onClick={() => (openDialog.value = 'keys')}>
          {words.keys.title}
        </Button>
        <Button kind="primary" onClick={onClose}>
          {words.close}
        </Button>
      </div>
    </Dialog>
  )
}

function LookField({ look }: { look: Look }) {
  const [value, setValue] = useState(readLook(look))
  const { label, ...choices } = words.looks[look]
  return (
    <SelectField
      label={label}
      value={value}
      onValue={(chosen) => {
        applyLooks({ [look]: chosen })
        setValue(chosen)
      }}
      options={choicesOf<string>(choices)}
    />
  )
}
