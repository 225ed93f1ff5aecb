import { useState } from 'preact/hooks'
import { ActionButton, Button } from '../design/button.tsx'
import { Dialog } from '../design/dialog.tsx'
import { choicesOf, SelectField } from '../design/field.tsx'
import { Icon } from '../design/icon.tsx'
import { applyScheme, readScheme } from '../lib/scheme.ts'
import { logOut, session } from '../lib/session.ts'
import { words } from '../words/common.ts'
import {
  chooseReading,
  type DateStyle,
  dateStyles,
  formatExample,
  reading,
  timeZones,
} from '../words/format.ts'

/** Who is logged in, the time zone of all times, and the settings of this browser. `onLeft` is called after the log-out. */
export function Account({ onKeys, onLeft }: { onKeys: () => void; onLeft: () => void }) {
  const [isOpen, setOpen] = useState(false)
  const { timeZone } = reading()
  return (
    <div class="foot small">
      <div class="spread">
        <strong>{session.value?.user.name}</strong>
        <ActionButton kind="plain" action={() => logOut().then(onLeft)}>
          {words.login.logOut}
        </ActionButton>
      </div>
      <button
        type="button"
        class="nav-link"
        aria-label={words.settings.open(timeZone)}
        onClick={() => setOpen(true)}
      >
        <Icon name="settings" />
        {timeZone}
      </button>
      {isOpen && <Settings onKeys={onKeys} onClose={() => setOpen(false)} />}
    </div>
  )
}

function Settings({ onKeys, onClose }: { onKeys: () => void; onClose: () => void }) {
  const texts = words.settings
  const [scheme, setScheme] = useState(readScheme())
  const chosen = reading()
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <p class="quiet">{texts.help}</p>
      <SelectField
        label={words.scheme}
        value={scheme}
        onValue={(value) => {
          applyScheme(value)
          setScheme(value)
        }}
        options={choicesOf(words.schemes)}
      />
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
        <Button
          kind="plain"
          onClick={() => {
            onClose()
            onKeys()
          }}
        >
          {words.keys.title}
        </Button>
        <Button kind="primary" onClick={onClose}>
          {words.close}
        </Button>
      </div>
    </Dialog>
  )
}
