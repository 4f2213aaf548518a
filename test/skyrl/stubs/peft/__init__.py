"""Stands in for peft: SkyRL uses its configuration to describe a LoRA adapter that it saves."""

import json
import os


class LoraConfig:
    """Keeps what it was given and writes it where peft would."""

    def __init__(self, **settings):
        self.settings = settings
        self.__dict__.update(settings)

    def to_dict(self):
        return dict(self.settings)

    def save_pretrained(self, folder):
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "adapter_config.json"), "w") as file:
            json.dump({"peft_type": "LORA", **self.settings}, file, default=str)
