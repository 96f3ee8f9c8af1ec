import { defineCommand, optional } from "../../command/define-command.ts";
import { exitCodes } from "../../output/exit-codes.ts";
import { orList } from "../../core/text.ts";
import { invalidValue, requiredWord } from "../../command/arguments.ts";

/** Supported shells. */
const shells = ["bash", "zsh", "fish", "powershell"] as const;

export const completion = defineCommand({
  path: "completion",
  description:
    "Generate a script for bash, zsh, fish or PowerShell that completes commands, options, sender IDs, groups and profiles.",
  args: { shell: optional("bash, zsh, fish or powershell", { takes: shells }) },
  examples: ["sendctl completion bash", "sendctl completion zsh > _sendctl"],
  async run({ ask, output }, given) {
    const label = `SHELL (${orList(shells)})`;
    const word = await requiredWord(ask, given.shell, label, "Which shell?", shells);
    const shell = shells.find((name) => name === word);
    if (shell === undefined) throw invalidValue("shell", word, "SHELL", `use ${orList(shells)}`);
    output.supports("a script for a shell", ["table"], false);
    await output.raw(scripts[shell]);
    return exitCodes.done;
  },
});

/** Supports bash 3.2 and later. Descriptions are shown with candidates, but never inserted. */
const bash = `# Completion of sendctl in bash. In ~/.bashrc: eval "$(sendctl completion bash)"
_sendctl() {
  local line listed=()
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == $'\\t'* ]]; then
      compopt -o default 2>/dev/null || COMPREPLY=($(compgen -f -- "$2"))
      return
    fi
    COMPREPLY+=("\${line%%$'\\t'*}")
    listed+=("\${line#*$'\\t'}")
  done < <(sendctl __complete --breaks "$COMP_WORDBREAKS" \\
    --line "\${COMP_LINE:0:COMP_POINT}" </dev/null 2>/dev/null)
  [[ \${COMPREPLY[0]-} == *[:=,] ]] && compopt -o nospace 2>/dev/null
  if [[ \${COMP_TYPE-} == 63 && \${#listed[@]} -gt 1 ]]; then COMPREPLY=("\${listed[@]}"); fi
}
complete -o nosort -F _sendctl sendctl 2>/dev/null || complete -F _sendctl sendctl
`;

const zsh = `#compdef sendctl
# Completion of sendctl in zsh. In ~/.zshrc, after compinit: eval "$(sendctl completion zsh)"
_sendctl() {
  local line value about
  local -a values shown
  local -i width=0
  while IFS= read -r line; do
    value=\${line%%$'\\t'*}
    if [[ -z $value ]]; then
      compset -P '--*='
      _files
      return
    fi
    values+=("$value")
    (( $#value > width )) && width=$#value
    shown+=("\${line#*$'\\t'}")
  done < <(sendctl __complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" \\
    </dev/null 2>/dev/null)
  (( $#values )) || return 1
  local -i i
  for (( i = 1; i <= $#values; i++ )); do
    about=$shown[i]
    shown[i]=$values[i]
    [[ -n $about ]] && shown[i]="\${(r:width:)values[i]}  -- $about"
  done
  # The part up to the equals sign is not part of the value.
  if compset -P '--*='; then values=("\${(@)values#*=}"); fi
  local -a after
  [[ $values[1] == *[:=,] ]] && after=(-S '')
  compadd -l -V sendctl $after -d shown -a values
}
if [[ $funcstack[1] == _sendctl ]]; then _sendctl "$@"; else compdef _sendctl sendctl; fi
`;

const fish = `# Completion of sendctl in fish. In config.fish: sendctl completion fish | source
function __sendctl_complete
    set -l typed (commandline -ct)
    set -l words (commandline -xpc 2>/dev/null; or commandline -opc)
    set -e words[1]
    for line in (sendctl __complete -- $words "$typed" </dev/null 2>/dev/null)
        if string match -q -- \\t'*' $line
            set -l prefix (string match -r -- '^--[^=]+=' "$typed")
            set -l path (string replace -r -- '^--[^=]+=' '' "$typed")
            for file in (complete -C "'' $path")
                echo -- "$prefix$file"
            end
        else
            echo -- $line
        end
    end
end
complete -c sendctl -e
complete -c sendctl -f -k -a '(__sendctl_complete)'
`;

/** Words are in base64: Windows PowerShell passes neither empty arguments nor quotes on. */
const powershell = `# Completion of sendctl in PowerShell. In $PROFILE: sendctl completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName sendctl -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        ForEach-Object { if ($null -ne $_.Value) { "$($_.Value)" } else { $_.Extent.Text } })
    $typed = $wordToComplete -replace '^[''"]', ''
    $encoding = [Console]::OutputEncoding
    try {
        [Console]::OutputEncoding = [System.Text.Encoding]::UTF8
        $bytes = [System.Text.Encoding]::UTF8.GetBytes(($words + $typed) -join "\`n")
        sendctl __complete "--encoded=$([Convert]::ToBase64String($bytes))" 2>$null | ForEach-Object {
            $value, $about = $_ -split "\`t", 2
            if ($value -like "$([WildcardPattern]::Escape($typed))*" -and $value -ne '') {
                $text = if ($value -match '^[\\w./:=*-]+$') { $value } else { "'" + $value.Replace("'", "''") + "'" }
                if (-not $about) { $about = $value }
                [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $about)
            }
        }
    } finally {
        [Console]::OutputEncoding = $encoding
    }
}
`;

const scripts = { bash, zsh, fish, powershell };
