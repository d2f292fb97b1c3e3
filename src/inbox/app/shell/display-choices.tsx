import { Choice } from '../../ui/choice.tsx';
import { Section } from '../../ui/section.tsx';
import { languageNames, setLanguage, useLanguage, type Language } from '../../ui/texts.ts';
import { setTheme, useTheme, type Theme } from '../../ui/theme.ts';
import { useClients } from '../../shared/clients/clients-context.ts';
import { saveLanguage } from '../data/save-locale.ts';
import { appTexts } from '../app-texts.ts';

/** Language and theme, kept in this browser. */
export function DisplaySection() {
  const texts = appTexts.use();
  return (
    <Section title={texts.display}>
      <LanguageChoice />
      <Choice<Theme>
        label={texts.theme}
        value={useTheme()}
        options={[
          ['system', texts.themes.system],
          ['light', texts.themes.light],
          ['dark', texts.themes.dark],
        ]}
        onChange={setTheme}
      />
    </Section>
  );
}

/** The language of this browser; emails use it, too. */
export function LanguageChoice() {
  const texts = appTexts.use();
  const { auth, platform } = useClients();
  return (
    <Choice<Language>
      label={texts.language}
      value={useLanguage()}
      options={[
        ['en', languageNames.en],
        ['de', languageNames.de],
      ]}
      onChange={(language) => {
        void setLanguage(language);
        void saveLanguage(language, auth, platform.report);
      }}
    />
  );
}
