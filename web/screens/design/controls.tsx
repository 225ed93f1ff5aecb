import { useState } from 'preact/hooks'
import { Button, ButtonLink } from '../../design/button.tsx'
import { CheckField, SecretField, SelectField, TextArea, TextField } from '../../design/field.tsx'
import { type Choice, Picker } from '../../design/picker.tsx'
import { SearchForm } from '../../design/search-form.tsx'
import { TokenField } from '../../design/token-field.tsx'

/** Each kind of button in each state. At most one of a screen is the primary one. */
export function Buttons() {
  return (
    <>
      <div class="row">
        <Button kind="primary">Save</Button>
        <Button>Send a test</Button>
        <Button kind="danger">Delete</Button>
        <Button kind="plain">Discard changes</Button>
        <ButtonLink href="/design">A link</ButtonLink>
      </div>
      <div class="row">
        <Button kind="primary" isBusy>
          Saving
        </Button>
        <Button isBusy>Sending</Button>
        <Button disabled>Not now</Button>
      </div>
    </>
  )
}

const providers: readonly Choice[] = [
  { value: '1', label: 'Brand A', note: 'smtp.example.com' },
  { value: '2', label: 'Brand B', note: 'api.example.com' },
]

/** Each control with its help or a fault. */
export function Fields() {
  const [text, setText] = useState('Brand A')
  const [secret, setSecret] = useState('correct horse')
  const [chosen, setChosen] = useState('smtp')
  const [isOn, setOn] = useState(true)
  const [choice, setChoice] = useState<Choice>()
  const [tokens, setTokens] = useState<readonly string[]>(['customer', 'newsletter'])
  const [searched, setSearched] = useState('')
  return (
    <>
      <SearchForm value={searched} onSearch={setSearched} label="Search by name" />
      <div class="fields">
        <TextField label="Name" value={text} onValue={setText} help="What people call it." />
        <TextField
          label="Port"
          value="99999"
          onValue={() => undefined}
          fault="A port is a number from 1 to 65535."
        />
        <SecretField label="Password" value={secret} onValue={setSecret} />
        <SelectField
          label="Provider"
          value={chosen}
          onValue={setChosen}
          options={[
            { value: 'smtp', label: 'SMTP server' },
            { value: 'null', label: 'Null' },
          ]}
        />
        <Picker
          label="Transport"
          value={choice}
          onValue={setChoice}
          find={async (typed) => providers.filter(({ label }) => label.includes(typed))}
        />
        <TokenField label="Tags" value={tokens} onValue={setTokens} />
      </div>
      <TextArea label="Description" rows={3} value={text} onValue={setText} />
      <CheckField
        label="Published"
        value={isOn}
        onValue={setOn}
        help="Routes skip an unpublished transport."
      />
    </>
  )
}
